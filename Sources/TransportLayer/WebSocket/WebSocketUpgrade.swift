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
