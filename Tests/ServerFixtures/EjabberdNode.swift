import Glibc

/// What makes an ejabberd one node of a cluster: its Erlang name, and what it shares with the others.
struct EjabberdNode: Sendable {
    /// From 1.
    var number: Int
    /// Where Erlang's port mapper listens; one of our own, so that a system's is never asked.
    var portMapperPort: UInt16
    /// What nodes show each other before they talk.
    var cookie: String
    var databasePort: UInt16
    /// Where uploaded files are, for a link of one node is followed to another.
    var sharedDirectory: String

    var name: String { Self.name(number) }
    static func name(_ number: Int) -> String { "node\(number)@localhost" }

    var environment: [String: String] {
        ["ERL_EPMD_PORT": "\(portMapperPort)", "ERL_EPMD_ADDRESS": "127.0.0.1"]
    }

    /// Writes the cookie to where Erlang looks for it, which keeps it out of the list of processes.
    func arguments(home: String, owner: String) throws(FixtureError) -> [String] {
        let file = "\(home)/.erlang.cookie"
        try FixtureDirectory.write(cookie, to: file, owner: owner)
        chmod(file, 0o400)
        return ["-sname", name, "-start_epmd", "false", "-kernel", "inet_dist_use_interface", "{127,0,0,1}"]
    }
}
