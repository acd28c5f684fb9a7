import ServerFixtures
import Testing
import TransportLayer
import XMPPAddress
import XMPPClient

@testable import CommandLine

@Suite struct DiagnosisTests {
    /// The timeout of each step unless a test shortens it; a shorter one would end the whole run.
    private static let defaultTimeout = Duration.seconds(60)

    /// Settings for a server on loopback; without an account the run ends before the login.
    private func settings(
        port: UInt16? = nil, timeout: Duration = defaultTimeout, account: Account? = nil
    ) async throws -> DiagnosisSettings {
        var settings = DiagnosisSettings(connection: try ConnectionOptions(OptionParser([]).parse([])))
        if let port { (settings.host, settings.port) = ("127.0.0.1", port) }
        settings.timeout = timeout
        settings.resolver.deadline = timeout
        settings.trust = .certificateAuthority(try await Certificates.shared.authorityFile)
        if let account {
            var login = ClientConfiguration(address: try JID(account.address), password: account.password)
            login.trust = settings.trust
            settings.login = login
        }
        return settings
    }

    private func diagnose(_ text: String, _ settings: DiagnosisSettings) async -> Diagnosis {
        await DiagnosisRun(text: text, settings: settings) { _ in }.run()
    }

    /// The results of the checks from `first` on.
    private func outcomes(_ diagnosis: Diagnosis, from first: DiagnosisStep) -> Set<DiagnosisOutcome> {
        Set(diagnosis.checks.drop { $0.step != first }.map(\.outcome))
    }

    @Test(
        "the mechanism and its channel binding are reported, with SASL2 and without",
        arguments: [
            (ServerKind.prosody012, "SCRAM-SHA-1", AuthenticationCheck.Binding.notOffered, false),
            (.prosody13, "SCRAM-SHA-1-PLUS", .bound(.tlsExporter), true),
        ])
    func login(kind: ServerKind, mechanism: String, binding: AuthenticationCheck.Binding, isSASL2: Bool) async throws {
        let server = try await kind.shared()
        let account = try await server.newAccount("login")
        let diagnosis = await diagnose(account.address, try await settings(port: server.port, account: account))
        #expect(diagnosis.firstFailure == nil, "\(diagnosis.json)")
        let check = try #require(diagnosis[AuthenticationCheck.self])
        #expect(check.mechanism == mechanism)
        #expect(check.binding == binding)
        #expect(check.usesSASL2 == isSASL2)
        #expect(diagnosis[StreamCheck.self]?.offersSASL2 == isSASL2)
        #expect(diagnosis[StreamCheck.self]?.offersBind2 == isSASL2)
        guard case .resumed = diagnosis[ResumptionCheck.self]?.trial else {
            Issue.record("not resumed: \(diagnosis.json)")
            return
        }
    }

    @Test(
        "a certificate for another name, or an expired one, is named; no password is sent; features are still shown",
        arguments: [
            (Certificates.Kind.wrongName, "certificate-wrong-name"), (.expired, "certificate-expired"),
            (.selfSigned, "certificate-self-signed"),
        ])
    func certificates(kind: Certificates.Kind, code: String) async throws {
        let server = try await PrivateProsody.shared(ServerOptions { $0.certificate = kind })
        let account = try await server.newAccount("certificate")
        let diagnosis = await diagnose(account.address, try await settings(port: server.port, account: account))
        #expect(diagnosis.firstFailure?.step == .tls)
        #expect(diagnosis.firstFailure?.problem?.code == code)
        #expect(diagnosis.status == .connection)
        let attempt = try #require(diagnosis[TLSCheck.self]?.attempts.first)
        #expect(attempt.tls?.version == .tls13)
        #expect(!attempt.isTrusted)
        #expect(diagnosis[StreamCheck.self]?.mechanisms.contains("SCRAM-SHA-1") == true)
        #expect(outcomes(diagnosis, from: .authentication) == [.skipped])
        #expect(try await server.sessionCount(of: account.username) == 0)
    }

    @Test(
        "a closed port, an unreachable machine and a silent server have different results",
        arguments: [
            // The steps before the one that fails must not take as long on a busy machine.
            (FaultProxy.Acceptance.refuse, Duration.seconds(30), DiagnosisStep.tcp, "connection-refused"),
            (.ignore, .milliseconds(300), .tcp, "connection-timeout"),
            (.hang, .seconds(5), .tls, "tls-timeout"),
        ])
    func connections(
        acceptance: FaultProxy.Acceptance, timeout: Duration, step: DiagnosisStep, code: String
    ) async throws {
        let proxy = try FaultProxy(to: 9)
        proxy.configure { $0.acceptance = acceptance }
        let diagnosis = await diagnose(
            "juliet@xmpp.test", try await settings(port: proxy.port, timeout: timeout))
        #expect(diagnosis.firstFailure?.step == step)
        #expect(diagnosis.firstFailure?.problem?.code == code)
        #expect(diagnosis.status == .connection)
        #expect(outcomes(diagnosis, from: .stream) == [.skipped])
        #expect(diagnosis.duration < Self.defaultTimeout)
    }

    @Test("a DNS server that does not respond is reported within the timeout of each query")
    func silentDNS() async throws {
        let dns = try await PrivateDNS([])
        dns.freeze()
        defer { dns.thaw() }
        var settings = try await settings(timeout: .milliseconds(300))
        settings.resolver.servers = [dns.server]
        settings.resolver.usesHostsFile = false
        let diagnosis = await diagnose("juliet@xmpp.test", settings)
        #expect(diagnosis.firstFailure?.problem?.code == "dns-unavailable")
        let check = try #require(diagnosis[DNSCheck.self])
        #expect(check.services.map(\.isLate) == [true, true])
        #expect(check.hosts.map(\.isLate) == [true])
        #expect(diagnosis.duration < Self.defaultTimeout)
    }

    @Test("a domain without records and one that declares that it has no server have different results")
    func domainsWithoutServer() async throws {
        let dns = try await PrivateDNS([
            .service("_xmpp-client._tcp", domain: "none.test", target: ".", port: 0)
        ])
        var settings = try await settings()
        settings.resolver.servers = [dns.server]
        settings.resolver.usesHostsFile = false
        let decided = await diagnose("juliet@none.test", settings)
        #expect(decided.firstFailure?.problem?.code == "service-not-offered")
        #expect(decided[DNSCheck.self]?.candidates == [])
        let missing = await diagnose("juliet@missing.test", settings)
        #expect(missing.firstFailure?.problem?.code == "host-not-found")
        #expect(missing[DNSCheck.self]?.candidates.map(\.description) == ["missing.test:5222"])
    }

    @Test("SRV records of both kinds are listed in order, and a server that is down does not fail the run")
    func serviceRecords() async throws {
        let server = try await PrivateProsody.shared
        let dead = try FaultProxy(to: 9)
        dead.configure { $0.acceptance = .refuse }
        let account = try await server.newAccount("services")
        let dns = try await PrivateDNS([
            .service("_xmpp-client._tcp", domain: "xmpp.test", target: "a.xmpp.test", port: dead.port, priority: 5),
            .service(
                "_xmpps-client._tcp", domain: "xmpp.test", target: "b.xmpp.test", port: server.directTLSPort,
                priority: 10),
            .service("_xmpp-client._tcp", domain: "xmpp.test", target: "c.xmpp.test", port: 5222, priority: 20),
            .address("a.xmpp.test", "127.0.0.1"), .address("b.xmpp.test", "127.0.0.1"),
        ])
        var settings = try await settings(account: account)
        settings.resolver.servers = [dns.server]
        settings.resolver.usesHostsFile = false
        settings.hostMetaPort = dead.port
        let diagnosis = await diagnose(account.address, settings)
        #expect(diagnosis[WebSocketCheck.self]?.outcome == .skipped, "no HTTPS, and no fault")
        let check = try #require(diagnosis[DNSCheck.self])
        #expect(check.records.map(\.priority) == [5, 10, 20])
        #expect(check.candidates.map(\.security) == [.startTLS, .directTLS, .startTLS])
        #expect(check.outcome == .warning, "c.xmpp.test has no address")
        #expect(diagnosis[TCPCheck.self]?.attempts.map { $0.failure?.code } == [.connectionRefused, nil])
        #expect(diagnosis[TCPCheck.self]?.outcome == .warning)
        #expect(diagnosis[TLSCheck.self]?.trusted.map(\.candidate.security) == [.directTLS])
        #expect(diagnosis[AuthenticationCheck.self]?.outcome == .passed)
        #expect(diagnosis.status == .done)
    }

    @Test("the WebSocket of a domain's host-meta file is opened, also if there is no other connection method")
    func webSocket() async throws {
        let server = try await PrivateProsody.shared
        let dns = try await PrivateDNS([
            .service("_xmpp-client._tcp", domain: "xmpp.test", target: "xmpp.test", port: 9),
            .address("xmpp.test", "127.0.0.1"),
        ])
        var settings = try await settings()
        settings.resolver.servers = [dns.server]
        settings.resolver.usesHostsFile = false
        settings.hostMetaPort = server.httpsPort
        let diagnosis = await diagnose("juliet@xmpp.test", settings)
        #expect(diagnosis.firstFailure?.step == .tcp)
        let check = try #require(diagnosis[WebSocketCheck.self])
        #expect(check.attempts.map(\.url) == [server.webSocketURL])
        #expect(check.outcome == .passed, "\(check)")
    }

    @Test(
        "a server without upload, archive and stream management is not a failure, and the missing functions are listed")
    func bareServer() async throws {
        let server = try await PrivateProsody.shared(
            ServerOptions { $0.removedModules = ["http_file_share", "mam", "smacks", "time", "carbons"] })
        let account = try await server.newAccount("bare")
        let diagnosis = await diagnose(account.address, try await settings(port: server.port, account: account))
        #expect(diagnosis.status == .done)
        #expect(diagnosis[UploadCheck.self]?.outcome == .warning)
        #expect(diagnosis[ArchiveCheck.self]?.outcome == .warning)
        #expect(diagnosis[ResumptionCheck.self] == ResumptionCheck(isManaged: false, isResumable: false))
        #expect(diagnosis[ClockCheck.self]?.outcome == .skipped)
        #expect(diagnosis[ServerCheck.self]?.features.contains(.carbons) == false)
        #expect(diagnosis[ServerCheck.self]?.features.contains(.blocking) == true)
    }
}
