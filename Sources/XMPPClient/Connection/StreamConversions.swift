import Cryptography
package import SASLMechanisms
package import TransportLayer
package import XMPPStream

extension TLSInformation {
    /// The result of the TLS negotiation, as the stream machine needs it.
    package init(_ transport: NegotiatedTLS) {
        var bindings: [ChannelBinding] = []
        if let data = transport.tlsExporter { bindings.append(.tlsExporter(data)) }
        if let data = transport.tlsServerEndPoint { bindings.append(.tlsServerEndPoint(data)) }
        // On a resumed connection the first Finished message is the server's (RFC 5929 §3.1), but servers that always
        // take the client's refuse it then (Prosody 0.12).
        if let data = transport.tlsUnique, !transport.isResumed { bindings.append(.tlsUnique(data)) }
        self.init(
            version: transport.version == .tls13 ? .tls13 : .tls12, channelBindings: bindings,
            cipherSuite: transport.cipher)
    }
}

extension TransportClosure {
    init(_ error: TransportError) {
        let kind: Kind =
            switch error.code {
            case .hostNotFound, .resolutionFailed, .serviceNotOffered: .unresolved
            case .connectionRefused, .unreachable, .timedOut, .allCandidatesFailed, .proxyFailed: .unreachable
            case .tlsFailed: .tlsFailed
            case .certificateRefused: .certificateRejected
            case .invalidConfiguration: .misconfigured
            default: .broken
            }
        self.init(
            kind, detail: error.description, file: error.file.map { File(problem: $0.problem.rawValue, path: $0.path) })
    }
}

extension SASLDigests {
    /// The hash functions of libcrypto.
    package static let system = SASLDigests([
        SASLDigest(.sha1, over: .sha1), SASLDigest(.sha256, over: .sha256), SASLDigest(.sha512, over: .sha512),
    ])
}

extension SASLDigest {
    fileprivate init(_ hash: SASLHash, over function: HashFunction) {
        self.init(
            hash, hashValue: { function.hash($0) },
            hmac: { HMAC.authenticationCode(for: $1, key: $0, using: function) },
            pbkdf2: { try? PBKDF2.deriveKey(password: $0, salt: $1, iterations: $2, using: function) })
    }
}
