import SASLMechanisms
import TransportLayer
import XMPPAddress
import XMPPClient
import XMPPStream

/// The server of a measurement: `loopback_server.py`, without TLS, or Prosody, with the certificate of an authority in
/// a file.
struct BenchmarkServer {
    let port: UInt16
    let authority: String?

    func configuration(_ address: String) throws -> ClientConfiguration {
        var configuration = ClientConfiguration(address: try JID(address), password: "secret")
        configuration.host = "127.0.0.1"
        configuration.port = port
        configuration.usesStreamManagement = false
        if let authority {
            configuration.trust = .certificateAuthority(authority)
        } else {
            configuration.encryption = .plaintextAllowedForTestsOnly
        }
        return configuration
    }
}
