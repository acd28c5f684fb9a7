import ServerFixtures
import TransportLayer
import XMPPAddress
import XMPPClient
import XMPPStream

extension PrivateServer {
    /// How to log in to an account of this server.
    func configuration(
        _ account: Account, resource: String? = nil, port: UInt16? = nil,
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> ClientConfiguration {
        var configuration = ClientConfiguration(
            address: try JID(local: account.username, domain: account.domain, resource: resource),
            password: account.password)
        configuration.host = host
        configuration.port = port ?? self.port
        configuration.trust = .certificateAuthority(authorityFile)
        configuration.reconnection = ReconnectionPolicy(attempts: 20, backoff: Backoff(first: .milliseconds(20)))
        // What is tried is the way in, not the speed of a machine that runs other tests beside it.
        configuration.loginTimeout = .seconds(120)
        configuration.resumptionTimeout = .seconds(60)
        change(&configuration)
        return configuration
    }

    /// How to log in at the place that the name server tells of.
    func configuration(
        _ account: Account, resource: String? = nil, foundBy names: PrivateDNS
    ) throws -> ClientConfiguration {
        try configuration(account, resource: resource) {
            var connector = Connector.Configuration()
            connector.resolver.servers = [names.server]
            connector.resolver.usesHostsFile = false
            ($0.host, $0.port) = (nil, nil)
            $0.transports = .network(Connector(configuration: connector))
        }
    }
}
