import ServerFixtures

/// The service that the devices use: one server, or a cluster of two nodes.
enum ChaosService: Sendable {
    enum Kind: String, Sendable {
        case prosody, ejabberd
    }

    case server(RunningServer)
    case cluster(EjabberdCluster)

    /// - Parameter componentDomains: of services that are no part of it and attack it; with any, there is one node.
    static func start(_ kind: Kind, componentDomains: [String] = []) async throws -> ChaosService {
        switch kind {
        case .prosody:
            let options = ServerOptions {
                $0.componentDomains = componentDomains
                $0.configurationLines = [
                    // A room that is not kept is another one after a restart.
                    "muc_room_default_persistent = true",
                    // Prosody reads a whole archive for each page of it, unless it is in a database.
                    "default_storage = \"internal\"", "storage = { archive = \"sql\", muc_log = \"sql\" }",
                    "sql = { driver = \"SQLite3\", database = \"archives.sqlite\" }",
                    // The machine does not lose its power here, only processes do.
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

    /// Starts a node that was ended; returns when it is part of the service again.
    func start(_ node: Int) async throws {
        switch self {
        case .server(let server): try await server.start()
        case .cluster(let cluster): try await cluster.startNode(node + 1)
        }
    }
}
