internal import Foundation
internal import HongyanTesting
import ServerFixtures
internal import Synchronization
internal import TransportLayer

/// A malicious web server, over TLS on loopback.
///
/// Paths: `/drip` announces 1,000,000 bytes and sends one a second, `/endless` never ends, `/ok/N` sends N bytes,
/// `/to/URL` redirects, `/loop` redirects to itself, `/headers` sends header lines without end, `/compressed` announces
/// its 50 bytes as compressed.
package final class HostileFileHost: Sendable {
    package let port: UInt16
    private let listener: TCPListener
    private let tls: TLSServerConfiguration
    private let seen = Mutex<[String]>([])

    package init() async throws {
        let certificates = try await Certificates.shared
        tls = TLSServerConfiguration(
            certificateChainFile: certificates.certificateFile(.server),
            privateKeyFile: certificates.keyFile(.server))
        guard let address = SocketAddress("127.0.0.1", port: 0) else { throw HostileFailure("no address") }
        listener = try await TCPListener.listen(at: address)
        port = listener.address.port
        let (listener, tls) = (listener, tls)
        Task { [weak self] in
            while let transport = try? await listener.accept() {
                Task { [weak self] in
                    guard (try? await transport.acceptTLS(tls)) != nil else { return }
                    await self?.serve(transport)
                    await transport.close()
                }
            }
        }
    }

    package func stop() async { await listener.close() }

    package func url(_ path: String) -> String { "https://localhost:\(port)\(path)" }

    /// The requests: request lines and header fields.
    package var requests: [String] { seen.withLock { $0 } }

    private func serve(_ transport: SocketTransport) async {
        var text = ""
        while !text.contains("\r\n\r\n") {
            guard let bytes = try? await transport.read(), !bytes.isEmpty else { return }
            text += String(decoding: bytes, as: UTF8.self)
        }
        let request = text
        seen.withLock { $0.append(request) }
        let words = request.split(separator: " ")
        let path = words.count > 1 ? String(words[1]) : "/"
        do {
            switch path {
            case "/drip":
                try await send(
                    "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000000\r\n\r\n", to: transport)
                while true {
                    try await send("x", to: transport)
                    // The attack: bytes that arrive slowly.
                    try await Task.sleep(for: .seconds(1))
                }
            case "/endless":
                try await send("HTTP/1.1 200 OK\r\n\r\n", to: transport)
                let block = String(repeating: "x", count: 65_536)
                while true { try await send(block, to: transport) }
            case "/headers":
                try await send("HTTP/1.1 200 OK\r\n", to: transport)
                while true { try await send("X-A: \(String(repeating: "x", count: 1000))\r\n", to: transport) }
            case "/compressed":
                try await send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 50\r\nConnection: close\r\n\r\n"
                        + String(repeating: "x", count: 50), to: transport)
            case "/loop": try await redirect("/loop", transport)
            case let path where path.hasPrefix("/to/"):
                try await redirect(String(path.dropFirst(4)).removingPercentEncoding ?? "", transport)
            case let path where path.hasPrefix("/ok/"):
                let count = Int(path.dropFirst(4)) ?? 0
                try await send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(count)\r\nConnection: close\r\n\r\n"
                        + String(repeating: "x", count: count), to: transport)
            default: try await send("HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to: transport)
            }
        } catch {
            // The client has closed the connection, as it should.
            return
        }
    }

    private func redirect(_ target: String, _ transport: SocketTransport) async throws {
        try await send(
            "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", to: transport
        )
    }

    private func send(_ text: String, to transport: SocketTransport) async throws {
        try await transport.write(Array(text.utf8))
    }
}
