import COpenSSL

/// What was found out about a peer's certificate: the question put to whoever has to decide.
public struct TrustEvaluation: Sendable, Hashable {
    /// Who the peer should be.
    public var serverName: String
    /// What the peer showed, its own certificate first.
    public var certificates: [CertificateInformation]
    /// The reasons against it; empty when it is good.
    public var problems: [CertificateProblem]

    public init(serverName: String, certificates: [CertificateInformation], problems: [CertificateProblem]) {
        self.serverName = serverName
        self.certificates = certificates
        self.problems = problems
    }

    var alertCode: Int32 { problems.first?.alertCode ?? X509_V_ERR_APPLICATION_VERIFICATION }

    /// The error when the certificate is refused.
    var refusal: TransportError {
        let reasons =
            problems.isEmpty ? "It was refused by the user." : problems.map(\.description).joined(separator: " ")
        var error = TransportError(.certificateRefused, "The certificate of \(serverName) is not trusted. \(reasons)")
        error.certificateProblems = problems
        error.certificates = certificates
        return error
    }
}

extension TrustEvaluation {
    /// Judges a chain, leaf first, against the trusted authorities and the name, now.
    init(_ chain: [Certificate], for serverName: String, or others: [String] = [], authorities: CertificateAuthorities)
    {
        self.init(serverName: serverName, certificates: chain.map(\.information), problems: [])
        guard let leaf = chain.first else {
            problems = [.other("the peer showed none")]
            return
        }
        if !leaf.isFor(serverName) && !others.contains(where: leaf.isFor) {
            problems.append(.wrongName(expected: serverName, names: leaf.names.map(\.text)))
        }
        problems += authorities.problems(of: chain)
    }
}
