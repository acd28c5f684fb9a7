import Foundation
import ServerFixtures
import Testing
import TransportLayer
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// XEP-0178: a certificate instead of a password.
@Suite("Client certificates", .timeLimit(.minutes(20)))
struct ClientCertificateTests {
    private func configuration(
        _ server: any PrivateServer, _ account: Account, for name: String
    ) throws -> ClientConfiguration {
        let (certificate, key) = try server.certificates.issueClient(name)
        var configuration = ClientConfiguration(
            address: try JID(account.address),
            identity: TLSIdentity(certificateChainFile: certificate, privateKeyFile: key))
        configuration.host = server.host
        configuration.port = server.port
        configuration.trust = .certificateAuthority(server.authorityFile)
        configuration.reconnection = .never
        configuration.loginTimeout = .seconds(120)
        return configuration
    }

    @Test("an account logs in with its own certificate, and with no other")
    func login() async throws {
        let server = try await PrivateEjabberd.shared(ServerOptions { $0.asksForClientCertificates = true })
        let account = try await server.newAccount()
        try await Client(try configuration(server, account, for: account.address)).run { session in
            #expect(await session.agreement?.mechanism == "EXTERNAL")
            #expect(await session.address?.bare.description == account.address)
            _ = try await session.request(Ping())
        }
        let other = try configuration(server, account, for: "somebody@xmpp.test")
        let error = await clientError { try await Client(other).run { _ in } }
        #expect(error?.code == .authenticationFailed || error?.code == .policyViolated)
    }

    @Test("a certificate or key that cannot be used is reported with its path and not tried again")
    func unreadable() async throws {
        let server = try await ServerKind.prosody.shared()
        let account = try await server.newAccount()
        var settings = try configuration(server, account, for: account.address)
        let good = try #require(settings.clientIdentity)
        settings.reconnection.attempts = nil
        settings.reconnection.retriesFirstLogin = true
        for (identity, text) in [
            (
                TLSIdentity(certificateChainFile: "/nowhere/me.crt", privateKeyFile: good.privateKeyFile),
                "/nowhere/me.crt"
            ),
            (
                TLSIdentity(certificateChainFile: good.certificateChainFile, privateKeyFile: "/nowhere/me.key"),
                "/nowhere/me.key"
            ),
            (
                TLSIdentity(
                    certificateChainFile: good.certificateChainFile,
                    privateKeyFile: server.certificates.keyFile(.server)),
                server.certificates.keyFile(.server)
            ),
        ] {
            settings.clientIdentity = identity
            let error = await clientError { [settings] in try await Client(settings).run { _ in } }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains(text) == true)
        }
    }

    @Test("a key that others can read causes a warning")
    func warning() async throws {
        let server = try await ServerKind.prosody.shared()
        let (certificate, key) = try server.certificates.issueClient("me@xmpp.test")
        let identity = TLSIdentity(certificateChainFile: certificate, privateKeyFile: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        #expect(identity.warning == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
        #expect(identity.warning?.contains(key) == true)
    }
}
