/// Starts one server for each set of options and hands it to everybody who asks for the same.
actor SharedServers<Server: PrivateServer> {
    private let make: @Sendable (ServerOptions) async -> Result<Server, FixtureError>
    private var servers: [ServerOptions: Task<Result<Server, FixtureError>, Never>] = [:]

    init(_ make: @escaping @Sendable (ServerOptions) async -> Result<Server, FixtureError>) {
        self.make = make
    }

    func server(_ options: ServerOptions) async throws(FixtureError) -> Server {
        let starting = servers[options] ?? Task { [make] in await make(options) }
        servers[options] = starting
        return try await starting.value.get()
    }
}

extension SharedServers<PrivateProsody> {
    static let prosody = SharedServers { options in
        do throws(FixtureError) {
            return .success(try await PrivateProsody(options))
        } catch {
            return .failure(error)
        }
    }
}
