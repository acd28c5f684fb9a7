/// Starts one server for each configuration and shares it.
actor SharedServers<Order: Hashable & Sendable, Server: Sendable> {
    private let make: @Sendable (Order) async throws(FixtureError) -> Server
    private var servers: [Order: Task<Result<Server, FixtureError>, Never>] = [:]

    init(_ make: @escaping @Sendable (Order) async throws(FixtureError) -> Server) {
        self.make = make
    }

    func server(_ order: Order) async throws(FixtureError) -> Server {
        let starting =
            servers[order]
            ?? Task { [make] in
                do throws(FixtureError) {
                    return .success(try await make(order))
                } catch {
                    return .failure(error)
                }
            }
        servers[order] = starting
        return try await starting.value.get()
    }
}

/// The configuration that identifies a shared server.
struct ServerOrder: Hashable, Sendable {
    var options: ServerOptions
    var release: ServerRelease
}
