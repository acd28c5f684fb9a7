import Foundation
import Glibc

/// Two ejabberd nodes of one service: each account can log in at either, and each node knows the sessions of the other.
///
/// ```swift
/// let cluster = try await EjabberdCluster.start()
/// let account = try await cluster.node(1).newAccount()
/// await cluster.killNode(1)              // like a loss of power
/// try await cluster.startNode(1)         // it joins again by itself
/// ```
/// A start takes about ten seconds: two nodes, a PostgreSQL that both use, and a private port mapper.
public final class EjabberdCluster: Sendable {
    /// The maximum time for the second node to join.
    private static let joinLimit = Duration.seconds(60)

    private let nodes: [PrivateEjabberd]
    // Referenced so that they end after the nodes.
    private let database: PrivatePostgreSQL
    private let portMapper: PrivateDaemon

    public static func start(
        _ options: ServerOptions = ServerOptions(), release: ServerRelease = .backports
    ) async throws(FixtureError) -> EjabberdCluster {
        let schema =
            release == .backports
            ? try Backports.path("ejabberd/usr/share/ejabberd/sql/pg.sql") : "/usr/share/ejabberd/sql/pg.sql"
        let (database, portMapper, port) = try await onOwnThread { () throws(FixtureError) in
            let (portMapper, port) = try startPortMapper()
            return (try PrivatePostgreSQL(schemaFile: schema), portMapper, port)
        }
        let cookie = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let shared = try FixtureDirectory.make("cluster", owner: "ejabberd")
        let starting = (1...2).map { number in
            Task { () async -> Result<PrivateEjabberd, FixtureError> in
                let node = EjabberdNode(
                    number: number, portMapperPort: port, cookie: cookie, databasePort: database.port,
                    sharedDirectory: shared)
                do throws(FixtureError) {
                    return .success(try await PrivateEjabberd(options, release: release, node: node))
                } catch {
                    return .failure(error)
                }
            }
        }
        var nodes: [PrivateEjabberd] = []
        for task in starting { nodes.append(try await task.value.get()) }
        let cluster = EjabberdCluster(nodes: nodes, database: database, portMapper: portMapper)
        try await cluster.join()
        return cluster
    }

    private init(nodes: [PrivateEjabberd], database: PrivatePostgreSQL, portMapper: PrivateDaemon) {
        self.nodes = nodes
        self.database = database
        self.portMapper = portMapper
    }

    public var domain: String { nodes[0].domain }
    public var authorityFile: String { nodes[0].authorityFile }

    /// A node by its number, 1 or 2.
    public func node(_ number: Int) -> PrivateEjabberd { nodes[number - 1] }

    /// Ends a node like a loss of power.
    public func killNode(_ number: Int) async { await node(number).kill() }
    /// Starts a killed node and waits until it has joined the cluster again. The node that was ended last must be
    /// running.
    public func startNode(_ number: Int) async throws(FixtureError) {
        try await node(number).start()
        try await awaitMembers(at: number)
    }
    /// Suspends a node, like a machine that hangs.
    public func freezeNode(_ number: Int) { node(number).freeze() }
    /// Returns when the node is part of the cluster again.
    public func thawNode(_ number: Int) async throws(FixtureError) {
        node(number).thaw()
        try await awaitMembers(at: number)
    }

    private func join() async throws(FixtureError) {
        let second = node(2)
        // The response may be lost, because ejabberd and the listener of this request restart when the node joins.
        _ = try? await second.command("join_cluster", ["node": EjabberdNode.name(1)])
        try await awaitMembers(at: 2)
        // The node has joined, but its client ports open a moment later.
        try await second.awaitReady()
    }

    private func awaitMembers(at number: Int) async throws(FixtureError) {
        let deadline = ContinuousClock.now + Self.joinLimit
        var seen = ""
        while ContinuousClock.now < deadline {
            seen = (try? await node(number).command("list_cluster", [:])) ?? seen
            if (1...nodes.count).allSatisfy({ seen.contains(EjabberdNode.name($0)) }) { return }
            try? await Task.sleep(for: .milliseconds(50))
        }
        throw FixtureError(
            .didNotStart, "The node did not join; its cluster is \(seen).\n\(node(number).log.suffix(4000))")
    }

    private static func startPortMapper() throws(FixtureError) -> (PrivateDaemon, UInt16) {
        let user = "ejabberd"
        let port = try LoopbackPort.claim()
        let directory = try FixtureDirectory.make("epmd", owner: user)
        let daemon = try PrivateDaemon(
            Command(
                program: "epmd", arguments: ["-address", "127.0.0.1", "-port", "\(port)"], directory: directory,
                outputFile: "\(directory)/output.log"
            ).confined(to: user), name: "epmd"
        ) { _ in (try? LoopbackConnection(port: port)) != nil }
        return (daemon, port)
    }
}
