import Foundation
import ServerFixtures
import Testing
import TransportLayer
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

@Suite("Sessions through a proxy", .timeLimit(.minutes(20)))
struct ProxyLiveTests {
    private func configuration(_ server: any PrivateServer, _ proxy: Proxy) async throws -> ClientConfiguration {
        let account = try await server.newAccount()
        var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
        configuration.host = "server.test"
        configuration.port = server.port
        configuration.trust = .certificateAuthority(server.authorityFile)
        configuration.reconnection = .never
        configuration.networkMonitor = nil
        configuration.loginTimeout = .seconds(120)
        configuration.proxy = proxy
        return configuration
    }

    @Test(
        "a session goes through the proxy, which looks up the host; it resumes through it, and back to a usual session",
        arguments: ServerKind.allCases, Proxy.Kind.allCases)
    func session(server kind: ServerKind, proxy proxyKind: Proxy.Kind) async throws {
        let server = try await kind.shared()
        let proxy = try PrivateProxy(credentials: "goose:honk")
        let settings = Proxy(
            proxyKind, host: "127.0.0.1", port: proxy.port, username: "goose", password: "honk", avoidsDNS: true)
        try await Client(try await configuration(server, settings)).run { session in
            _ = try await session.request(Ping())
            #expect(session.http.configuration.proxy == settings)
        }
        #expect(proxy.targets == ["\(proxyKind.rawValue) server.test:\(server.port)"])
    }

    @Test(
        "wrong credentials for the proxy are a setting to correct; a port that it refuses is a failure of the connection"
    )
    func refused() async throws {
        let server = try await ServerKind.prosody.shared()
        let proxy = try PrivateProxy(credentials: "goose:honk", refusedPort: server.port)
        var settings = Proxy(.http, host: "127.0.0.1", port: proxy.port, username: "goose", password: "hiss")
        let wrong = try await configuration(server, settings)
        #expect(await clientError { try await Client(wrong).run { _ in } }?.code == .invalidConfiguration)
        for kind in Proxy.Kind.allCases {
            settings.kind = kind
            settings.password = "honk"
            let forbidden = try await configuration(server, settings)
            #expect(await clientError { try await Client(forbidden).run { _ in } }?.code == .connectionFailed)
        }
    }

    @Test("without DNS the domain goes to the proxy, at both usual ports, and nothing connects around it")
    func domain() async throws {
        let server = try await ServerKind.prosody.shared()
        let proxy = try PrivateProxy()
        var settings = try await configuration(
            server, Proxy(.socks5, host: "127.0.0.1", port: proxy.port, avoidsDNS: true))
        settings.host = nil
        settings.port = nil
        #expect(await clientError { try await Client(settings).run { _ in } }?.code == .connectionFailed)
        let domain = settings.address.domain
        #expect(Set(proxy.targets).isSuperset(of: ["socks5 \(domain):5222", "socks5 \(domain):5223"]))
        settings.proxy = .unusable
        #expect(await clientError { try await Client(settings).run { _ in } }?.code == .connectionFailed)
    }
}
