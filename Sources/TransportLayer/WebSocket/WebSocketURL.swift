import CCurl

/// The address of a WebSocket service (RFC 6455 §3): `wss://web.example.com:443/ws`.
public struct WebSocketURL: Sendable, Hashable, CustomStringConvertible {
    /// Whether TLS comes first: `wss:`.
    public let isSecure: Bool
    /// A-labels or a literal address without brackets.
    public let host: String
    public let port: UInt16
    /// Path and query, as in the request.
    public let resource: String
    public let description: String

    /// - Parameter allowsPlaintext: whether `ws:` is allowed for 127.0.0.0/8, ::1 and localhost; only for tests.
    /// - Throws: `invalidConfiguration` for anything but `wss:`, and for user names and fragments, which are not
    ///   allowed.
    public init(_ text: String, allowsPlaintext: Bool = false) throws(TransportError) {
        func invalid(_ words: String) -> TransportError { TransportError(.invalidConfiguration, words) }
        let url = curl_url()
        defer { curl_url_cleanup(url) }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = HTTPURL.part(url, CURLUPART_SCHEME)?.lowercased(),
            var name = HTTPURL.part(url, CURLUPART_HOST), !name.isEmpty
        else { throw invalid("This is not a WebSocket URL: \(text)") }
        guard HTTPURL.part(url, CURLUPART_FRAGMENT) == nil, HTTPURL.part(url, CURLUPART_USER) == nil else {
            throw invalid("A WebSocket URL has no fragment and no user name: \(text)")
        }
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        guard scheme == "wss" || scheme == "ws" else { throw invalid("Only wss: is used, not \(scheme): (\(text)).") }
        isSecure = scheme == "wss"
        guard isSecure || allowsPlaintext && HTTPURL.isLoopback(name) else {
            throw invalid("The URL \(text) is not encrypted; only wss: is used.")
        }
        let number = HTTPURL.part(url, CURLUPART_PORT).map { UInt16($0) ?? 0 }
        guard number != 0 else { throw invalid("The URL \(text) has no port that can be used.") }
        host = name
        port = number ?? (isSecure ? 443 : 80)
        resource =
            (HTTPURL.part(url, CURLUPART_PATH) ?? "/") + (HTTPURL.part(url, CURLUPART_QUERY).map { "?\($0)" } ?? "")
        description = text
    }

    /// For the `Host` field (RFC 6455 §4.1).
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
