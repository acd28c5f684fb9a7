public import TransportLayer

extension Session {
    /// Transfers files with the settings of this session: its trust policy, its proxy and, for uploads, its client
    /// certificate.
    public nonisolated var http: HTTPClient { HTTPClient(configuration: configuration.http) }
}

extension ClientConfiguration {
    /// The settings of transfers that belong to this account.
    public var http: HTTPClient.Configuration {
        var http = HTTPClient.Configuration(trust: trust)
        http.proxy = proxy
        http.identity = clientIdentity
        return http
    }
}
