import Foundation
import ServerFixtures
import Testing

@Suite("Certificates")
struct CertificatesTests {
    @Test("each kind has a certificate and a key", arguments: Certificates.Kind.allCases)
    func areMade(kind: Certificates.Kind) async throws {
        let certificates = try await Certificates.shared
        let certificate = try String(contentsOfFile: certificates.certificateFile(kind), encoding: .utf8)
        let key = try String(contentsOfFile: certificates.keyFile(kind), encoding: .utf8)
        #expect(certificate.contains("BEGIN CERTIFICATE"))
        #expect(key.contains("PRIVATE KEY"))
    }
}
