import Foundation
import ServerFixtures

/// The environment of two users: a desktop with both windows side by side, a server, and a network for each that can
/// fail.
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

    /// The folder of sounds and pictures; removed with the desktop.
    var folder: String { desktop.environment["HOME"] ?? "/tmp" }

    /// The notifications that were shown, as lines of JSON.
    var notified: String { (try? String(contentsOfFile: "\(folder)/notifications", encoding: .utf8)) ?? "" }

    /// Expects no warnings of the desktop's libraries.
    func checkComplaints() throws {
        for person in [alice, bob] {
            let complaints = person.complaints
            guard complaints.isEmpty else {
                throw NotSeen(description: "\(person.name)'s program said:\n\(complaints.joined(separator: "\n"))")
            }
        }
    }

    /// Plays a sound into the microphone, and returns at its end.
    func speak(_ sample: SpokenSample) async throws {
        let server = desktop.environment["PULSE_SERVER"] ?? ""
        try await SpokenSample.run([
            "paplay", "--server=\(server)", "--latency-msec=400", "--device=\(PrivateDesktop.microphone)", sample.file,
        ])
    }

    /// The voice messages that a program has stored.
    func recordings(of person: PersonAtWindow) -> [String] {
        let media = "\(person.program.folder)/profile/media"
        let files = FileManager.default.enumerator(atPath: media)?.compactMap { $0 as? String } ?? []
        return files.map { "\(media)/\($0)" }.filter { path in
            FileManager.default.contents(atPath: path)?.starts(with: Data("OggS".utf8)) ?? false
        }
    }

    /// The size of its window that a program has stored.
    func windowSize(of person: PersonAtWindow) -> (width: Int, height: Int)? {
        struct Preferences: Decodable {
            struct Window: Decodable { let width, height: Int }
            let window: Window
        }
        let path = "\(person.program.folder)/profile/preferences.json"
        let preferences = FileManager.default.contents(atPath: path).flatMap {
            try? JSONDecoder().decode(Preferences.self, from: $0)
        }
        return preferences.map { ($0.window.width, $0.window.height) }
    }

    /// What a program has stored of its conversations, as text with much else in it.
    func stored(by person: PersonAtWindow) -> String {
        let profile = "\(person.program.folder)/profile"
        let files = FileManager.default.enumerator(atPath: profile)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains(".db") }.compactMap {
            FileManager.default.contents(atPath: "\(profile)/\($0)")
        }
        .map { String(decoding: $0, as: UTF8.self) }.joined()
    }
}
