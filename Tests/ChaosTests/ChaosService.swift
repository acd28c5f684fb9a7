import ServerFixtures

/// The service that the devices use: one server, or a cluster of two nodes.
enum ChaosService: Sendable {
    enum Kind: String, Sendable {
        case prosody, ejabberd
    }

    case server(RunningServer)
    case cluster(EjabberdCluster)

    /// - Parameter componentDomains: the domains of attacking services; with any, there is one node.
    static func start(_ kind: Kind, componentDomains: [String] = []) async throws -> ChaosService {
        switch kind {
        case .prosody:
            let options = ServerOptions {
                $0.componentDomains = componentDomains
                $0.configurationLines = [
                    // A room that is not persistent is a different one after a restart.
                    "muc_room_default_persistent = true",
                    // Prosody reads the complete archive for each page, unless it is in a database.
                    "default_storage = \"internal\"", "storage = { archive = \"sql\", muc_log = \"sql\" }",
                    "sql = { driver = \"SQLite3\", database = \"archives.sqlite\" }",
                    // Only processes are killed here, not the machine.
                    "sqlite_tune = \"fast\"",
                ]
            }
            return .server(try await ServerKind.prosody13.start(options))
        case .ejabberd where !componentDomains.isEmpty:
            return .server(
                try await ServerKind.ejabberd2412.start(ServerOptions { $0.componentDomains = componentDomains }))
        case .ejabberd: return .cluster(try await EjabberdCluster.start())
        }
    }

    var nodes: [RunningServer] {
        switch self {
        case .server(let server): [server]
        case .cluster(let cluster): [cluster.node(1), cluster.node(2)]
        }
    }

    /// Starts a stopped node; returns when it is part of the service again.
    func start(_ node: Int) async throws {
        switch self {
        case .server(let server): try await server.start()
        case .cluster(let cluster): try await cluster.startNode(node + 1)
        }
    }
}
