import Foundation
import ServerFixtures
import Testing

/// The guarantees of the fixtures for each release.
@Suite("Every server", .timeLimit(.minutes(20)))
struct EveryServerTests {
    /// Makes an HTTPS request with the `curl` program.
    private func get(_ url: String, on server: RunningServer, _ options: String...) async throws -> String {
        try await OutsideProgram.run(
            ["curl", "--silent", "--show-error", "--include", "--max-time", "120", "--cacert", server.authorityFile]
                + ["--resolve", "\(server.domain):\(server.httpsPort):\(server.host)", "--http1.1"] + options + [url]
        ).output
    }

    @Test("has an open port for each transport, and announces its WebSocket", arguments: ServerKind.allCases)
    func ports(kind: ServerKind) async throws {
        let server = try await kind.shared()
        for port in [server.startTLSPort, server.directTLSPort, server.httpPort, server.httpsPort] {
            _ = try LoopbackConnection(port: port)
        }
        #expect(try await get(server.hostMetaURL, on: server).contains(server.webSocketURL))
        #expect(
            try await get(server.hostMetaURL + ".json", on: server).replacing("\\/", with: "/").contains(
                server.webSocketURL))
    }

    @Test("supports WebSocket", arguments: ServerKind.allCases)
    func webSocket(kind: ServerKind) async throws {
        let server = try await kind.shared()
        // The connection stays open, so the response ends with the timeout; a loaded machine needs a longer one.
        var answer = ""
        for seconds in ["1", "10", "60"] where !answer.contains("101 Switching Protocols") {
            answer = try await get(
                server.webSocketURL.replacing("wss:", with: "https:"), on: server, "--max-time", seconds,
                "--header", "Connection: Upgrade", "--header", "Upgrade: websocket", "--header",
                "Sec-WebSocket-Version: 13",
                "--header", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "--header", "Sec-WebSocket-Protocol: xmpp")
        }
        #expect(answer.contains("101 Switching Protocols"))
        #expect(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    }

    @Test("a suspended server answers when it is resumed", arguments: [ServerKind.prosody13, .ejabberd2412])
    func freezes(kind: ServerKind) async throws {
        let server = try await kind.start()
        let connection = try LoopbackConnection(port: server.port, timeout: .milliseconds(300))
        server.freeze()
        try connection.send(streamHeader(to: server.domain))
        #expect(throws: FixtureError.self) { try connection.receive() }
        server.thaw()
        let patient = try LoopbackConnection(port: server.port)
        try patient.send(streamHeader(to: server.domain))
        #expect(try patient.receive(until: "</stream:features>").contains("xmpp.test"))
    }
}
