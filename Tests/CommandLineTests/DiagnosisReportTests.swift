import Foundation
import TerminalApp
import Testing
import TransportLayer
import XMPPAddress

@testable import CommandLine

@Suite struct DiagnosisReportTests {
    private func text(_ checks: [any DiagnosisCheck], columns: Int = 80) -> [String] {
        DiagnosisReport(columns: columns).rows(checks).map { $0.map(\.text).joined() }
    }

    private func attempt(daysLeft: Int64, problems: [CertificateProblem] = []) throws -> TLSCheck.Attempt {
        let address = try #require(SocketAddress("192.0.2.1", port: 5222))
        let leaf = CertificateInformation(
            subject: "CN=xmpp.test", issuer: "CN=Authority", names: ["xmpp.test"], notBefore: 0,
            notAfter: daysLeft * 86_400, sha256Fingerprint: [UInt8](repeating: 0xAB, count: 32), der: [])
        var attempt = TLSCheck.Attempt(
            candidate: ConnectionCandidate(host: "xmpp.test", port: 5222, security: .startTLS),
            address: address)
        attempt.tls = NegotiatedTLS(version: .tls13, cipher: "TLS_AES_256_GCM_SHA384")
        attempt.certificates = [leaf]
        attempt.problems = problems
        return attempt
    }

    @Test("the time is at the right edge, and continuation lines are indented")
    func layout() {
        let check = BindingCheck(
            address: try? JID("juliet@xmpp.test/" + String(repeating: "balcony ", count: 12) + "end"),
            duration: .milliseconds(12))
        let rows = text([check])
        #expect(rows.count == 2)
        #expect(rows.first?.hasPrefix("✓ Resource    juliet@xmpp.test/balcony") == true)
        #expect(rows.first?.hasSuffix("  12\u{A0}ms") == true)
        #expect(rows.allSatisfy { DisplayWidth.of($0) <= 80 })
        #expect(rows.dropFirst().allSatisfy { $0.hasPrefix("              ") })
    }

    @Test("no line is wider than the terminal", arguments: [40, 60, 80, 100, 200])
    func widths(columns: Int) throws {
        let check = TLSCheck(
            attempts: [try attempt(daysLeft: 300, problems: [.selfSigned(subject: "CN=xmpp.test")])], date: 0)
        #expect(text([check], columns: columns).allSatisfy { DisplayWidth.of($0) <= min(columns, 100) })
    }

    @Test("steps that were skipped for the same reason are one paragraph")
    func skipped() {
        let reason = Phrase("needs a login")
        let checks = [DiagnosisStep.server, .upload].map { SkippedCheck(step: $0, reason: reason) }
        #expect(text(checks) == ["– skipped: Server, Upload (needs a login)"])
    }

    @Test("a certificate that expires soon is a warning; a refused one shows its complete fingerprint")
    func certificate() throws {
        #expect(TLSCheck(attempts: [try attempt(daysLeft: 60)], date: 0).outcome == .passed)
        let ending = TLSCheck(attempts: [try attempt(daysLeft: 13)], date: 0)
        #expect(ending.outcome == .warning)
        #expect(text([ending]).contains("              ! valid until 1970-01-14, 13 days left"))
        let refused = TLSCheck(
            attempts: [try attempt(daysLeft: 60, problems: [.selfSigned(subject: "CN=xmpp.test")])], date: 0)
        #expect(refused.problem?.code == "certificate-self-signed")
        #expect(text([refused]).contains("              " + String(repeating: "ab", count: 32)))
    }

    @Test("why a connection is not encrypted is a text of the catalogue", arguments: TransportError.Code.allCases)
    func failures(code: TransportError.Code) throws {
        var attempt = try attempt(daysLeft: 60)
        attempt.tls = nil
        attempt.failure = .transport(TransportError(code, "Only developers read this."))
        let check = TLSCheck(attempts: [attempt], date: 0)
        #expect(check.problem?.reason.english.isEmpty == false)
        #expect(!text([check]).joined().contains("Only developers"))
        #expect(check.problem?.reason.text.contains("Only developers") == false)
    }

    @Test("a wrong clock is described with the time of both sides")
    func clock() {
        #expect(ClockCheck(difference: .milliseconds(400)).outcome == .passed)
        #expect(ClockCheck(difference: .seconds(-40)).outcome == .warning)
        #expect(
            ClockCheck(difference: .seconds(-40)).summary.english
                == "the server's clock is 40.0\u{A0}s behind this computer's"
        )
        #expect(ClockCheck(difference: nil).outcome == .skipped)
    }

    @Test("the conclusion names the first failed check")
    func conclusion() {
        var diagnosis = Diagnosis(subject: "juliet@xmpp.test")
        diagnosis.duration = .milliseconds(1250)
        let report = DiagnosisReport(columns: 80)
        #expect(report.conclusion(diagnosis).map(\.text).joined() == "All well. (1.3\u{A0}s)")
        diagnosis.checks = [ArchiveCheck(accountFeatures: [])]
        #expect(report.conclusion(diagnosis).map(\.text).joined() == "It works; see the items marked !. (1.3\u{A0}s)")
        diagnosis.checks.append(AddressCheck("@"))
        #expect(
            report.conclusion(diagnosis).map(\.text).joined() == "The first problem to solve: Address. (1.3\u{A0}s)")
        #expect(diagnosis.status == .usage)
    }

    @Test("text of a server cannot control the terminal")
    func harmless() {
        let check = ServerCheck(software: "Evil\u{1B}[2J 1.0")
        #expect(!check.summary.text.contains("\u{1B}"))
    }

    @Test("a phrase is English in JSON, and nested phrases are translated too")
    func phrases() {
        let phrase = Phrase("%@: %@", Phrase("direct TLS"), Phrase.list([.verbatim("a"), .verbatim("b %@")]))
        #expect(phrase.english == "direct TLS: a, b %@")
        #expect(phrase == Phrase("%@: %@", Phrase("direct TLS"), Phrase.list([.verbatim("a"), .verbatim("b %@")])))
    }
}
