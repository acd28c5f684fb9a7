import Foundation
import ServerFixtures

/// All that two people need who talk: a desktop with both windows side by side, a server, and a network each that can fail.
final class Stage: Sendable {
    let desktop: PrivateDesktop
    let server: PrivateProsody
    let aliceNetwork: FaultProxy
    let bobNetwork: FaultProxy
    let alice: PersonAtWindow
    let bob: PersonAtWindow

    init() async throws {
        let scripts = (#filePath as NSString).deletingLastPathComponent
        desktop = try PrivateDesktop(
            width: 2080, height: 760,
            services: [PrivateNotifications.service])
        server = try await PrivateProsody(
            ServerOptions {
                $0.addedModules = ["invites", "invites_register"]
                $0.configurationLines = ["registration_invite_only = false"]
            })
        aliceNetwork = try FaultProxy(to: server.port)
        bobNetwork = try FaultProxy(to: server.port)
        // Debian's own Python, which has GObject.
        let hands = try ControlledScript(
            ["/usr/bin/python3", "-W", "ignore", "\(scripts)/person.py"], environment: desktop.environment)
        alice = try PersonAtWindow("Alice", at: 0, on: desktop, hands: hands)
        bob = try PersonAtWindow("Bob", at: 1040, on: desktop, hands: hands)
    }

    /// For what is spoken and shown; it goes with the desktop.
    var folder: String { desktop.environment["HOME"] ?? "/tmp" }

    /// What the desktop was asked to show to the person who looks elsewhere, as lines of JSON.
    var notified: String { (try? String(contentsOfFile: "\(folder)/notifications", encoding: .utf8)) ?? "" }

    /// Nothing went wrong behind the windows: the libraries of the desktop had no reason to complain.
    func checkComplaints() throws {
        for person in [alice, bob] {
            let complaints = person.complaints
            guard complaints.isEmpty else {
                throw NotSeen(description: "\(person.name)'s program said:\n\(complaints.joined(separator: "\n"))")
            }
        }
    }

    /// Speaks into the microphone, and returns when all is said.
    func speak(_ sample: SpokenSample) async throws {
        let server = desktop.environment["PULSE_SERVER"] ?? ""
        try await SpokenSample.run([
            "paplay", "--server=\(server)", "--latency-msec=400", "--device=\(PrivateDesktop.microphone)", sample.file,
        ])
    }

    /// The voice messages that somebody's program keeps.
    func recordings(of person: PersonAtWindow) -> [String] {
        let media = "\(person.program.folder)/profile/media"
        let files = FileManager.default.enumerator(atPath: media)?.compactMap { $0 as? String } ?? []
        return files.map { "\(media)/\($0)" }.filter { path in
            FileManager.default.contents(atPath: path)?.starts(with: Data("OggS".utf8)) ?? false
        }
    }

    /// Waits until something is true that no window shows.
    func until(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(75)
        while !condition() {
            guard ContinuousClock.now < deadline else { throw NotSeen(description: "It never came that \(what).") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
