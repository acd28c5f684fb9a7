import CCurl
import COpenSSL
import XMLStreaming

/// The client's request to switch from HTTP to WebSocket (RFC 6455 §4.1), with the subprotocol of XMPP (RFC 7395 §3.1).
///
/// ```
/// C: GET /xmpp-websocket HTTP/1.1
///    Host: example.com
///    Upgrade: websocket
///    Connection: Upgrade
///    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
///    Sec-WebSocket-Version: 13
///    Sec-WebSocket-Protocol: xmpp
/// ```
struct WebSocketUpgrade {
    /// The name in the registry of RFC 6455 §11.5.
    static let subprotocol = "xmpp"

    /// The required proof of the server: a hash of the key and of a fixed number of the WebSocket protocol (RFC 6455
    /// §1.3).
    let accept: String
    let request: [UInt8]

    /// - Parameter nonce: 16 random bytes, new for each connection.
    init(_ url: WebSocketURL, nonce: [UInt8]) {
        let key = Base64.encode(nonce)
        accept = Self.accept(key)
        let lines = [
            "GET \(url.resource) HTTP/1.1", "Host: \(url.authority)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: \(Self.subprotocol)",
            "User-Agent: Hongyan",
        ]
        request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    static func accept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var hash = [UInt8](repeating: 0, count: 20)
        var count: UInt32 = 0
        guard EVP_Digest(text, text.count, &hash, &count, EVP_sha1(), nil) == 1 else { return "" }
        return Base64.encode(hash)
    }

    static func nonce() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}

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
