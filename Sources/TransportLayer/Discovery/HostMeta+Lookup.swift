/// How a host-meta file is fetched: over HTTPS only, from the domain itself, and bounded in bytes, time and redirections.
struct HostMetaLookup: Sendable {
    /// Real files have some hundred bytes; those of large providers with many links a few thousand.
    static let fileBytes = 64 * 1024
    /// A domain with more WebSocket services than these has more than anybody tries.
    static let mostURLs = 4

    let resolver: ResolverConfiguration
    let trust: TrustPolicy
    /// 443 but in tests.
    let port: UInt16
    let timeout: Duration

    /// The WebSocket services of `domain`, in no order that means anything (XEP-0156 §2.2); `attempts` tells what failed.
    ///
    /// The XML form is the one that every domain must have; the JSON form is asked for when the first is missing or names none.
    func webSocketURLs(
        of domain: String, _ attempts: inout [ConnectionAttempt]
    ) async throws(TransportError) -> [WebSocketURL] {
        var settings = HTTPClient.Configuration(trust: trust.withoutQuestion)
        settings.resolver = resolver
        settings.total = timeout
        settings.connecting = min(settings.connecting, timeout)
        let client = HTTPClient(configuration: settings)
        let deadline = ContinuousClock.now + timeout
        for suffix in ["", ".json"] {
            let url = "https://\(domain)\(port == 443 ? "" : ":\(port)")/.well-known/host-meta\(suffix)"
            guard ContinuousClock.now < deadline else { break }
            do throws(TransportError) {
                let body = try await client.download(url, limit: Self.fileBytes).body
                let file = suffix.isEmpty ? try HostMeta(xml: body) : try HostMeta(json: body)
                let found = file.webSocketURLs.prefix(Self.mostURLs)
                if !found.isEmpty { return Array(found) }
                attempts.append(ConnectionAttempt(target: url, outcome: "It names no WebSocket service."))
            } catch {
                if error.code == .cancelled { throw error }
                attempts.append(ConnectionAttempt(target: url, outcome: error.description))
                // Only a server that has answered may have the other form.
                guard [.httpStatus, .httpFailed, .tooLarge].contains(error.code) else { break }
            }
        }
        return []
    }
}
