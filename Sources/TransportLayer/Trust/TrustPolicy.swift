import COpenSSL
import Synchronization

/// Which certificates of servers are trusted.
public struct TrustPolicy: Sendable {
    /// The source of the trusted authorities.
    public enum Anchors: Sendable, Hashable {
        /// The authorities of the operating system, including `SSL_CERT_FILE` and `SSL_CERT_DIR`.
        case system
        /// The authorities of the operating system and of a PEM file.
        case systemAnd(file: String)
        /// Only the authorities of a PEM file. Revocation lists in the file are used.
        case file(String)

        var file: String? {
            switch self {
            case .system: nil
            case .systemAnd(let file), .file(let file): file
            }
        }
    }

    /// Decides whether to continue. Called outside TLS; the handshake waits for it.
    public typealias Question = @Sendable (TrustEvaluation) async -> Bool

    private enum Decision: Sendable {
        case byEvaluation
        case byFingerprint(Set<[UInt8]>)
        case byQuestion(isAlwaysAsked: Bool, isInteractive: Bool, Question)
    }

    let anchors: Anchors
    private let decision: Decision

    /// Trusts the authorities of the operating system.
    public static let system = TrustPolicy(anchors: .system, decision: .byEvaluation)

    /// Trusts the authorities of the operating system and of a PEM file.
    public static func system(adding file: String) -> TrustPolicy {
        TrustPolicy(anchors: .systemAnd(file: file), decision: .byEvaluation)
    }

    /// Trusts only the authorities in a PEM file.
    public static func certificateAuthority(_ file: String) -> TrustPolicy {
        TrustPolicy(anchors: .file(file), decision: .byEvaluation)
    }

    /// Trusts exactly these certificates, by the SHA-256 of the DER form. Name, dates and authority are not checked:
    /// the user who pinned the certificate has verified it.
    public static func pinned(_ fingerprints: some Sequence<[UInt8]>) -> TrustPolicy {
        TrustPolicy(anchors: .system, decision: .byFingerprint(Set(fingerprints)))
    }

    /// Accepts a valid certificate, and asks `question` about others, or about each one if `isAlwaysAsked`.
    ///
    /// - Parameter isInteractive: whether a user answers. Then the handshake, and the login with it, may take minutes; a
    ///   program that answers by itself keeps the usual timeouts.
    public static func ask(
        anchors: Anchors = .system, isAlwaysAsked: Bool = false, isInteractive: Bool = true,
        _ question: @escaping Question
    ) -> TrustPolicy {
        TrustPolicy(
            anchors: anchors,
            decision: .byQuestion(isAlwaysAsked: isAlwaysAsked, isInteractive: isInteractive, question))
    }

    /// What two policies must have in common for one to rely on a decision of the other. Questions cannot be compared:
    /// a decision of the user is never reused.
    enum Identity: Sendable, Hashable {
        case evaluation(Anchors)
        case fingerprints(Set<[UInt8]>)
        case question(Anchors, isAlwaysAsked: Bool)
    }

    var identity: Identity {
        switch decision {
        case .byEvaluation: .evaluation(anchors)
        case .byFingerprint(let fingerprints): .fingerprints(fingerprints)
        case .byQuestion(let isAlwaysAsked, _, _): .question(anchors, isAlwaysAsked: isAlwaysAsked)
        }
    }

    var asksUser: Bool {
        if case .byQuestion(_, let isInteractive, _) = decision { isInteractive } else { false }
    }

    /// The same policy with another question, if it has one.
    func withQuestion(_ change: (@escaping Question) -> Question) -> TrustPolicy {
        guard case .byQuestion(let isAlwaysAsked, let isInteractive, let question) = decision else { return self }
        return TrustPolicy(
            anchors: anchors,
            decision: .byQuestion(isAlwaysAsked: isAlwaysAsked, isInteractive: isInteractive, change(question)))
    }

    /// The same policy without the question: certificates that need a decision are refused.
    var withoutQuestion: TrustPolicy {
        if case .byQuestion = decision { TrustPolicy(anchors: anchors, decision: .byEvaluation) } else { self }
    }

    /// Reads the authorities on a thread that may wait for the disk, unless they are in memory.
    nonisolated(nonsending) func prepare() async throws(TransportError) {
        if case .byFingerprint = decision { return }
        guard !CertificateAuthorities.areLoaded(anchors) else { return }
        try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(TransportError) in
            try await load()
        }
    }

    @concurrent
    private func load() async throws(TransportError) { _ = try CertificateAuthorities.load(anchors) }

    /// The problems of a chain, leaf first, of a server with one of these names.
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

    /// The decision without a question; `nil` if ``ask(_:)`` must be called.
    func decide(_ evaluation: TrustEvaluation) -> Bool? {
        switch decision {
        case .byEvaluation, .byFingerprint: evaluation.problems.isEmpty
        case .byQuestion(let isAlwaysAsked, _, _): isAlwaysAsked || !evaluation.problems.isEmpty ? nil : true
        }
    }

    func ask(_ evaluation: TrustEvaluation) async -> Bool {
        guard case .byQuestion(_, _, let question) = decision else { return evaluation.problems.isEmpty }
        // A program may wait for its user here, and the loop must not wait with it.
        return await withTaskExecutorPreference(globalConcurrentExecutor) { await question(evaluation) }
    }
}

/// The result of verifying a peer's certificate: the input for a question to the user.
public struct TrustEvaluation: Sendable, Hashable {
    /// The required identity of the peer.
    public var serverName: String
    /// The certificates that the peer sent, its own first.
    public var certificates: [CertificateInformation]
    /// The problems of the certificate; empty if it is valid.
    public var problems: [CertificateProblem]

    public init(serverName: String, certificates: [CertificateInformation], problems: [CertificateProblem]) {
        self.serverName = serverName
        self.certificates = certificates
        self.problems = problems
    }

    var alertCode: Int32 { problems.first?.alertCode ?? X509_V_ERR_APPLICATION_VERIFICATION }

    /// The error if the certificate is refused.
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
    /// Verifies a chain, leaf first, against the trusted authorities and the name, at the current time.
    init(_ chain: [Certificate], for serverName: String, or others: [String] = [], authorities: CertificateAuthorities)
    {
        self.init(serverName: serverName, certificates: chain.map(\.information), problems: [])
        guard let leaf = chain.first else {
            problems = [.other("the peer sent none")]
            return
        }
        if !leaf.isFor(serverName) && !others.contains(where: leaf.isFor) {
            problems.append(.wrongName(expected: serverName, names: leaf.names.map(\.text)))
        }
        problems += authorities.problems(of: chain)
    }
}

/// Asks the user one question at a time while several connections to the same service are in progress: once about each
/// certificate, and no more after a refusal.
final class TrustQuestions: Sendable {
    private struct State {
        var answers: [[UInt8]: Task<Bool, Never>] = [:]
        var last: Task<Bool, Never>?
        var openCount = 0
        var isRefused = false
    }

    private let state = Mutex(State())

    /// Whether a question is open.
    var isOpen: Bool { state.withLock { $0.openCount > 0 } }

    /// Whether one of the questions was answered with no.
    var isRefused: Bool { state.withLock { $0.isRefused } }

    func ask(_ evaluation: TrustEvaluation, _ question: @escaping TrustPolicy.Question) async -> Bool {
        let key = evaluation.certificates.first?.sha256Fingerprint ?? []
        let answer = state.withLock { state in
            state.openCount += 1
            if let known = state.answers[key] { return known }
            let earlier = state.last
            let answer = Task {
                if let earlier, await !earlier.value { return false }
                return await question(evaluation)
            }
            state.answers[key] = answer
            state.last = answer
            return answer
        }
        let isAccepted = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.cancel()
        }
        state.withLock { state in
            state.openCount -= 1
            if !isAccepted { state.isRefused = true }
        }
        return isAccepted
    }
}

extension TrustPolicy {
    /// The same policy, with its questions passed through `questions`.
    func asking(through questions: TrustQuestions) -> TrustPolicy {
        withQuestion { question in { await questions.ask($0, question) } }
    }
}
