/// Which certificates of servers are trusted.
public struct TrustPolicy: Sendable {
    /// Where the trusted authorities come from.
    public enum Anchors: Sendable, Hashable {
        /// The authorities of the operating system; `SSL_CERT_FILE` and `SSL_CERT_DIR` are honoured.
        case system
        /// Those, and the ones of a PEM file.
        case systemAnd(file: String)
        /// The ones of a PEM file only. Revocation lists in the file are honoured.
        case file(String)

        var file: String? {
            switch self {
            case .system: nil
            case .systemAnd(let file), .file(let file): file
            }
        }
    }

    /// Answers whether to go on. Called outside of TLS; the handshake waits for it.
    public typealias Question = @Sendable (TrustEvaluation) async -> Bool

    private enum Decision: Sendable {
        case byEvaluation
        case byFingerprint(Set<[UInt8]>)
        case byQuestion(isAlwaysAsked: Bool, Question)
    }

    let anchors: Anchors
    private let decision: Decision

    /// What the operating system trusts.
    public static let system = TrustPolicy(anchors: .system, decision: .byEvaluation)

    /// What the operating system trusts, and the authorities in a PEM file.
    public static func system(adding file: String) -> TrustPolicy {
        TrustPolicy(anchors: .systemAnd(file: file), decision: .byEvaluation)
    }

    /// The authorities in a PEM file only.
    public static func certificateAuthority(_ file: String) -> TrustPolicy {
        TrustPolicy(anchors: .file(file), decision: .byEvaluation)
    }

    /// Exactly these certificates, by the SHA-256 of the DER form. Name, dates and authority are of no account then: the person who pinned
    /// it has vouched for it.
    public static func pinned(_ fingerprints: some Sequence<[UInt8]>) -> TrustPolicy {
        TrustPolicy(anchors: .system, decision: .byFingerprint(Set(fingerprints)))
    }

    /// A good certificate is accepted; about another one `question` is asked, or about each one if `isAlwaysAsked`.
    public static func ask(
        anchors: Anchors = .system, isAlwaysAsked: Bool = false, _ question: @escaping Question
    ) -> TrustPolicy {
        TrustPolicy(anchors: anchors, decision: .byQuestion(isAlwaysAsked: isAlwaysAsked, question))
    }

    /// What two policies must have in common for one to believe what the other has accepted. A question itself cannot be compared: what a
    /// person has accepted is never believed twice.
    enum Identity: Sendable, Hashable {
        case evaluation(Anchors)
        case fingerprints(Set<[UInt8]>)
        case question(Anchors, isAlwaysAsked: Bool)
    }

    var identity: Identity {
        switch decision {
        case .byEvaluation: .evaluation(anchors)
        case .byFingerprint(let fingerprints): .fingerprints(fingerprints)
        case .byQuestion(let isAlwaysAsked, _): .question(anchors, isAlwaysAsked: isAlwaysAsked)
        }
    }

    var asksPerson: Bool {
        if case .byQuestion = decision { true } else { false }
    }

    /// The same policy with another question, if it has one.
    func withQuestion(_ change: (@escaping Question) -> Question) -> TrustPolicy {
        guard case .byQuestion(let isAlwaysAsked, let question) = decision else { return self }
        return TrustPolicy(
            anchors: anchors, decision: .byQuestion(isAlwaysAsked: isAlwaysAsked, change(question)))
    }

    /// The same without the question: what would be asked about is refused.
    var withoutQuestion: TrustPolicy {
        if case .byQuestion = decision { TrustPolicy(anchors: anchors, decision: .byEvaluation) } else { self }
    }

    /// Reads the authorities off the caller's thread, so that judging does not wait for the disk.
    @concurrent
    func prepare() async throws(TransportError) {
        if case .byFingerprint = decision { return }
        _ = try CertificateAuthorities.load(anchors)
    }

    /// What speaks against a chain, leaf first, of a server with that name or one of the other ones.
    func evaluate(
        _ chain: [Certificate], for serverName: String, or others: [String] = []
    ) throws(TransportError) -> TrustEvaluation {
        if case .byFingerprint(let fingerprints) = decision {
            let certificates = chain.map(\.information)
            let isPinned = certificates.first.map { fingerprints.contains($0.sha256Fingerprint) } ?? false
            return TrustEvaluation(
                serverName: serverName, certificates: certificates,
                problems: isPinned ? [] : [.notPinned(fingerprint: certificates.first?.fingerprintText ?? "missing")])
        }
        return TrustEvaluation(
            chain, for: serverName, or: others, authorities: try CertificateAuthorities.load(anchors))
    }

    /// The decision that needs nobody; `nil` when ``ask(_:)`` has to be called.
    func decide(_ evaluation: TrustEvaluation) -> Bool? {
        switch decision {
        case .byEvaluation, .byFingerprint: evaluation.problems.isEmpty
        case .byQuestion(let isAlwaysAsked, _): isAlwaysAsked || !evaluation.problems.isEmpty ? nil : true
        }
    }

    func ask(_ evaluation: TrustEvaluation) async -> Bool {
        guard case .byQuestion(_, let question) = decision else { return evaluation.problems.isEmpty }
        return await question(evaluation)
    }
}
