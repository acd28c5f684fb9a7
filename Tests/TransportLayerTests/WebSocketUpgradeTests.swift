import Testing

@testable import TransportLayer

/// The upgrade from HTTP to WebSocket.
struct WebSocketUpgradeTests {
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    private static let good =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Protocol: xmpp\r\n\r\n"

    /// The bytes after the header, or why it is rejected; `nil` while it is not complete.
    private func read(
        _ text: String, piece: Int = .max, limits: WebSocketLimits = WebSocketLimits()
    ) -> Result<[UInt8]?, WebSocketUpgradeReader.Failure> {
        var reader = WebSocketUpgradeReader(accept: Self.accept, subprotocol: "xmpp", limits: limits)
        var rest = Array(text.utf8)[...]
        do throws(WebSocketUpgradeReader.Failure) {
            while !rest.isEmpty {
                let part = Array(rest.prefix(piece))
                rest = rest.dropFirst(piece)
                if let early = try reader.append(part) { return .success(early + rest) }
            }
            return .success(nil)
        } catch { return .failure(error) }
    }

    @Test("The key of RFC 6455 §1.3 gives the response of the example; the request is complete")
    func request() throws {
        #expect(WebSocketUpgrade.accept("dGhlIHNhbXBsZSBub25jZQ==") == Self.accept)
        let url = try WebSocketURL("wss://web.example.com:5281/xmpp-websocket?a=b")
        let upgrade = WebSocketUpgrade(url, nonce: Array("the sample nonce".utf8))
        #expect(upgrade.accept == Self.accept)
        let lines = String(decoding: upgrade.request, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.first == "GET /xmpp-websocket?a=b HTTP/1.1")
        for line in [
            "Host: web.example.com:5281", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: xmpp",
        ] { #expect(lines.contains { $0 == line }) }
        #expect(upgrade.request.suffix(4) == Array("\r\n\r\n".utf8)[...])
        #expect(Set((0..<50).map { _ in WebSocketUpgrade.nonce() }).count == 50)
    }

    @Test("A valid response is accepted however it is split, and the bytes after it are preserved")
    func good() {
        for piece in [Int.max, 1, 2, 3, 5] {
            #expect(read(Self.good + "\u{1}\u{2}", piece: piece) == .success([1, 2]))
        }
        #expect(read(String(Self.good.dropLast())) == .success(nil))
        // Names and tokens are case-insensitive, values may be in lists and between spaces.
        let odd = Self.good.replacing("Upgrade: websocket", with: "UPGRADE:\tWebSocket ")
            .replacing("Connection: Upgrade", with: "connection: keep-alive, uPGRADE")
        #expect(read(odd) == .success([]))
    }

    @Test(
        "A response without the right proof is rejected",
        arguments: [
            ("HTTP/1.1 101", "HTTP/1.0 101"), ("HTTP/1.1 101", "HTTP/2 101"), ("HTTP/1.1 101", "SSH-2.0-OpenSSH"),
            ("HTTP/1.1 101", "HTTP/1.1 1o1"), ("Upgrade: websocket\r\n", ""), ("Connection: Upgrade\r\n", ""),
            ("Upgrade: websocket", "Upgrade: h2c"), ("Connection: Upgrade", "Connection: close"),
            ("Sec-WebSocket-Accept: \(accept)\r\n", ""), (accept, accept.lowercased()), (accept, accept + " x"),
            ("\r\n\r\n", "\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"),
            ("Sec-WebSocket-Protocol: xmpp\r\n", ""), ("Protocol: xmpp", "Protocol: XMPP"),
            ("Protocol: xmpp", "Protocol: xmpp, chat"), ("Protocol: xmpp", "Protocol: chat"),
            ("\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
            ("Upgrade: websocket", "Upgrade: websocket\nX: y"), ("Upgrade: websocket", "Upgrade : websocket"),
            ("Upgrade: websocket", "X: y\r\n folded\r\nUpgrade: websocket"), ("Upgrade: websocket", "no colon"),
            ("Upgrade: websocket", ": empty"),
        ])
    func refused(_ part: String, _ replacement: String) {
        for piece in [Int.max, 1] {
            guard case .failure(.invalid(let words)) = read(Self.good.replacing(part, with: replacement), piece: piece)
            else {
                Issue.record("it must be refused: \(replacement)")
                return
            }
            #expect(words.hasSuffix("."))
        }
    }

    @Test("Another status is an error; a redirect is reported and not followed")
    func status() {
        #expect(read("HTTP/1.1 404 Not Found\r\n\r\n") == .failure(.status(404, location: nil)))
        let moved = "HTTP/1.1 301 Moved\r\nLocation: wss://evil.test/\r\n\r\n"
        #expect(read(moved) == .failure(.status(301, location: "wss://evil.test/")))
        #expect(
            WebSocketUpgradeReader.Failure.status(301, location: "wss://evil.test/").description.contains(
                "wss://evil.test/"))
    }

    @Test("The size of the header is limited")
    func limit() {
        var limits = WebSocketLimits()
        limits.headerBytes = Self.good.utf8.count
        for piece in [Int.max, 1, 7] {
            #expect(read(Self.good + "more", piece: piece, limits: limits) == .success(Array("more".utf8)))
            let longer = Self.good.replacing("\r\n\r\n", with: " \r\n\r\n")
            guard case .failure(.invalid) = read(longer, piece: piece, limits: limits) else {
                Issue.record("it must be refused")
                return
            }
            guard case .failure(.invalid) = read(String(repeating: "a", count: 20_000), piece: 1000) else {
                Issue.record("it must be refused")
                return
            }
        }
    }

    @Test(
        "URLs are parsed",
        arguments: [
            ("wss://example.com", "example.com", 443, "/", "example.com"),
            ("WSS://example.com:443/ws", "example.com", 443, "/ws", "example.com"),
            ("wss://web.example.com:5281/a/b?c=d", "web.example.com", 5281, "/a/b?c=d", "web.example.com:5281"),
            ("wss://[::1]:99/", "::1", 99, "/", "[::1]:99"),
            ("ws://localhost:80/x", "localhost", 80, "/x", "localhost"),
            ("ws://127.0.0.1:81/", "127.0.0.1", 81, "/", "127.0.0.1:81"),
        ] as [(String, String, UInt16, String, String)])
    func urls(_ text: String, _ host: String, _ port: UInt16, _ resource: String, _ authority: String) throws {
        let url = try WebSocketURL(text, allowsPlaintext: true)
        #expect(url.host == host && url.port == port && url.resource == resource)
        #expect(url.authority == authority && url.isSecure == !text.hasPrefix("ws:"))
    }

    @Test(
        "URLs that are not encrypted, or not of WebSocket, are rejected",
        arguments: [
            "ws://localhost/", "ws://example.com/", "https://example.com/", "example.com", "", "wss://",
            "wss://a b/", "wss://user@example.com/", "wss://example.com/#x", "wss://example.com:0/",
            "wss://example.com/a\r\nX: y", "wss://雁.test/",
        ])
    func badURLs(_ text: String) {
        #expect(throws: TransportError.self) { _ = try WebSocketURL(text) }
        if !text.hasPrefix("ws://localhost") {
            #expect(throws: TransportError.self) { _ = try WebSocketURL(text, allowsPlaintext: true) }
        }
    }
}
