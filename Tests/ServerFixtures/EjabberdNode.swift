import Glibc

/// The identity of an ejabberd node in a cluster: its Erlang name, and what it shares with the others.
struct EjabberdNode: Sendable {
    /// From 1.
    var number: Int
    /// The port of a private Erlang port mapper, so that the system's is never used.
    var portMapperPort: UInt16
    /// The cookie by which nodes authenticate each other.
    var cookie: String
    var databasePort: UInt16
    /// The directory of uploaded files, because a link of one node may be opened at another.
    var sharedDirectory: String

    var name: String { Self.name(number) }
    static func name(_ number: Int) -> String { "node\(number)@localhost" }

    var environment: [String: String] {
        ["ERL_EPMD_PORT": "\(portMapperPort)", "ERL_EPMD_ADDRESS": "127.0.0.1"]
    }

    /// Writes the cookie to the file that Erlang reads, which keeps it out of the process list.
    func arguments(home: String, owner: String) throws(FixtureError) -> [String] {
        let file = "\(home)/.erlang.cookie"
        try FixtureDirectory.write(cookie, to: file, owner: owner)
        chmod(file, 0o400)
        return ["-sname", name, "-start_epmd", "false", "-kernel", "inet_dist_use_interface", "{127,0,0,1}"]
    }
}
