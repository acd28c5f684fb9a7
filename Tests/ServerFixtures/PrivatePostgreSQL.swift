import Foundation
import Glibc

/// A private PostgreSQL on a loopback port, with ejabberd's tables and without authentication.
final class PrivatePostgreSQL: Sendable {
    /// The default database of every database cluster.
    static let database = "postgres"
    static let user = "ejabberd"

    let port: UInt16
    private let directory: String
    private let daemon: PrivateDaemon

    /// Blocks for one or two seconds, until a new database cluster is created.
    init(schemaFile: String) throws(FixtureError) {
        // PostgreSQL refuses to run as root.
        let owner = "postgres"
        let programs = try Self.programs()
        let directory = try FixtureDirectory.make("postgresql", owner: owner)
        let data = "\(directory)/data"
        let port = try LoopbackPort.claim()
        let environment = ["LC_ALL": "C.UTF-8", "HOME": directory]
        try Command(
            program: "\(programs)/initdb",
            arguments: ["-D", data, "-U", Self.user, "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"],
            environment: environment, directory: directory, outputFile: "\(directory)/initdb.log"
        ).confined(to: owner).run()

        // No data needs to survive a loss of power.
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=", "fsync=off",
            "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=50",
            "log_line_prefix=", "logging_collector=off",
        ]
        // A killed PostgreSQL would leave a shared memory segment behind.
        daemon = try PrivateDaemon(
            Command(
                program: "\(programs)/postgres", arguments: ["-D", data] + settings.flatMap { ["-c", $0] },
                environment: environment, directory: directory, outputFile: "\(directory)/output.log"
            ).confined(to: owner, endedBy: "QUIT"),
            name: "PostgreSQL", endSignal: SIGQUIT
        ) { $0.contains("ready to accept connections") }
        self.port = port
        self.directory = directory
        try Command(
            program: "\(programs)/psql",
            arguments: [
                "-q", "-X", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", "\(port)", "-U", Self.user, "-f",
                schemaFile, Self.database,
            ], directory: directory, outputFile: "\(directory)/psql.log"
        ).run()
    }

    deinit {
        daemon.end()
        LoopbackPort.release([port])
        FixtureDirectory.remove(directory)
    }

    /// Debian installs the programs of each release in a directory that is not in `PATH`.
    private static func programs() throws(FixtureError) -> String {
        let base = "/usr/lib/postgresql"
        let releases = ((try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []).compactMap { Int($0) }
        for release in releases.sorted(by: >) where access("\(base)/\(release)/bin/initdb", X_OK) == 0 {
            return "\(base)/\(release)/bin"
        }
        throw .missing("postgresql")
    }
}
