import Foundation
import Glibc

/// A private session bus.
public final class PrivateBus: Sendable {
    let folder: String
    /// The address for programs.
    public let environment: [String: String]
    private let daemon: PrivateDaemon

    public var address: String { "unix:path=\(folder)/bus" }

    public convenience init() throws(FixtureError) {
        let folder = try FixtureDirectory.make("bus")
        chmod(folder, 0o700)
        try self.init(in: folder, environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder])
    }

    /// - Parameters:
    ///   - folder: a folder of the caller, which removes it.
    ///   - environment: the environment of programs that the bus starts.
    ///   - services: programs that the bus starts on request.
    init(
        in folder: String, environment: [String: String], services: [(name: String, command: String)] = []
    ) throws(FixtureError) {
        self.folder = folder
        let address = "unix:path=\(folder)/bus"
        self.environment = environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { _, own in own }
        try FixtureDirectory.write(Self.configuration(folder), to: "\(folder)/bus.conf")
        for service in services {
            try FixtureDirectory.write(
                "[D-BUS Service]\nName=\(service.name)\nExec=\(service.command)\n",
                to: "\(folder)/\(service.name).service")
        }
        let command = Command(
            program: "setpriv",
            arguments: [
                "--pdeathsig", "KILL", "dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--nopidfile",
            ], environment: self.environment, directory: folder, outputFile: "\(folder)/bus.log")
        daemon = try PrivateDaemon(command, name: "dbus-daemon") { _ in Self.answers(at: "\(folder)/bus") }
    }

    /// Whether a connection is accepted: the file of the socket is there before the daemon listens.
    private static func answers(at path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// One bus for the session and for accessibility.
    private static func configuration(_ folder: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(folder)/bus</listen>
          <servicedir>\(folder)</servicedir>
          <servicedir>/usr/share/dbus-1/accessibility-services</servicedir>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }
}
