import HostileFixtures
import ServerFixtures
import Testing
import TransportLayer

/// Security review, G: malicious web servers.
@Suite("Hostile file hosts", .timeLimit(.minutes(5)))
struct FileHostTests {
    private static func client() async throws -> HTTPClient {
        HTTPClient(configuration: .init(trust: .certificateAuthority(try await Certificates.shared.authorityFile)))
    }

    @Test(
        "G14-G18: redirects only lead to encrypted web servers, and never in a circle",
        arguments: [
            "http://127.0.0.1:1/x", "file:///etc/passwd", "ftp://127.0.0.1/x", "dict://127.0.0.1:1/x", "/loop",
            "javascript:alert(1)",
        ])
    func redirects(target: String) async throws {
        let host = try await HostileFileHost()
        let url = host.url("/to/" + target.replacing("/", with: "%2F").replacing(":", with: "%3A"))
        let client = try await Self.client()
        await #expect(throws: TransportError.self) { try await client.download(url, limit: 1000) }
        await host.stop()
    }

    @Test("G19: a port of another service gives no file")
    func otherServices() async throws {
        let server = try await HostileServer()
        let client = try await Self.client()
        await #expect(throws: TransportError.self) {
            try await client.download("https://127.0.0.1:\(server.port)/", limit: 1000)
        }
        await server.stop()
    }

    @Test(
        "G12, G13, G19b, G19c: a URL that is not of the web is never requested",
        arguments: [
            "javascript:alert(1)", "file:///etc/passwd", "ftp://HOST/x", "https://HOST\r\nX: y/ok",
            "https://HOST/ok\nX: y",
        ])
    func addresses(address: String) async throws {
        let host = try await HostileFileHost()
        let client = try await Self.client()
        let url = address.replacing("HOST", with: "localhost:\(host.port)")
        await #expect(throws: TransportError.self) { try await client.download(url, limit: 1000) }
        #expect(host.requests.isEmpty)
        await host.stop()
    }

    @Test("G24, G27: an endless response is aborted", arguments: ["/endless", "/headers"])
    func endless(path: String) async throws {
        let host = try await HostileFileHost()
        let client = try await Self.client()
        await #expect(throws: TransportError.self) { try await client.download(host.url(path), limit: 200_000) }
        #expect(try await client.download(host.url("/ok/3"), limit: 10).byteCount == 3, "another transfer goes on")
        await host.stop()
    }

    @Test("G26: compressed content is not expanded")
    func compressed() async throws {
        let host = try await HostileFileHost()
        let response = try await Self.client().download(host.url("/compressed"), limit: 1000)
        #expect(response.body == Array(repeating: UInt8(ascii: "x"), count: 50))
        await host.stop()
    }
}
