import ServerFixtures
import Testing

@testable import TransportLayer

/// With the `openssl` program, an independent use of TLS.
@Suite(.timeLimit(.minutes(20)))
struct OpenSSLServerTests {
    @Test("A connection to openssl s_server works", arguments: [("-tls1_2", TLSVersion.tls12), ("-tls1_3", .tls13)])
    func server(_ option: String, _ version: TLSVersion) async throws {
        let certificates = try await Certificates.shared
        let process = try await TestProcess([
            "openssl", "s_server", "-accept", "127.0.0.1:0", option, "-cert", certificates.certificateFile(.server),
            "-key",
            certificates.keyFile(.server), "-alpn", "xmpp-client", "-rev",
        ])
        defer { process.stop() }
        let line = try await process.line(containing: "ACCEPT")
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        let client = try await SocketTransport.connect(to: Loopback.address(port: port))
        var configuration = try await Loopback.client()
        configuration.applicationProtocols = [TLSConfiguration.xmppClientProtocol]
        let information = try await client.startTLS(configuration)
        #expect(information.version == version)
        #expect(information.applicationProtocol == "xmpp-client")
        try await client.write(Array("hello\n".utf8))
        #expect(try await client.read(count: 6) == Array("olleh\n".utf8))
        await client.close()
    }

    @Test(
        "A session of openssl s_server is resumed, from a ticket and from the server's memory",
        arguments: [["-tls1_2"], ["-tls1_2", "-no_ticket"], ["-tls1_3"], ["-tls1_3", "-no_ticket"]])
    func resumption(_ options: [String]) async throws {
        let certificates = try await Certificates.shared
        let process = try await TestProcess(
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.certificateFile(.server), "-key",
                certificates.keyFile(.server), "-rev",
            ] + options)
        defer { process.stop() }
        let line = try await process.line(containing: "ACCEPT")
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        var configuration = try await Loopback.client()
        configuration.sessionCache = TLSSessionCache()
        for isResumed in [false, true, true] {
            let client = try await SocketTransport.connect(to: Loopback.address(port: port))
            let information = try await client.startTLS(configuration)
            #expect(information.isResumed == isResumed)
            try await client.write(Array("hello\n".utf8))
            #expect(try await client.read(count: 6) == Array("olleh\n".utf8))
            await client.close()
        }
    }
}
