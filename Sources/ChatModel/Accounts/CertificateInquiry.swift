internal import Foundation
internal import Localization
public import Observation
internal import Synchronization
public import TransportLayer
internal import Waiting

/// Asks the user about an untrusted certificate while the connection waits.
@MainActor
@Observable
public final class CertificateInquiry {
    public enum Answer: Sendable, Hashable {
        case refuse
        /// Until the program ends.
        case trustOnce
        /// Permanently; see ``accepted``.
        case trustAlways
    }

    /// The certificate that the user is being asked about.
    public private(set) var question: TrustEvaluation?
    /// SHA-256 hashes of certificates trusted permanently.
    public private(set) var accepted: Set<[UInt8]> = []
    /// SHA-256 hashes of certificates trusted until the program ends.
    public private(set) var acceptedForNow: Set<[UInt8]> = []
    /// The last rejected certificate, to explain a failed connection.
    public private(set) var refused: TrustEvaluation?

    @ObservationIgnored private var waiting: Promise<Bool>?

    init() {}

    func ask(_ evaluation: TrustEvaluation) async -> Bool {
        guard let leaf = evaluation.certificates.first else { return false }
        if accepted.contains(leaf.sha256Fingerprint) || acceptedForNow.contains(leaf.sha256Fingerprint) { return true }
        // There is one question at a time; the previous attempt is over.
        answer(.refuse)
        if Task.isCancelled { return false }
        let promise = Promise<Bool>()
        waiting = promise
        question = evaluation
        let isTrusted = await promise.value(cancelled: false)
        // The attempt was cancelled, and its question with it.
        if waiting === promise { answer(.refuse) }
        return isTrusted
    }

    /// The user's answer.
    public func answer(_ answer: Answer) {
        let evaluation = question
        question = nil
        if let evaluation, let leaf = evaluation.certificates.first {
            switch answer {
            case .refuse: refused = evaluation
            case .trustOnce: acceptedForNow.insert(leaf.sha256Fingerprint)
            case .trustAlways: accepted.insert(leaf.sha256Fingerprint)
            }
        }
        waiting?.fulfil(answer != .refuse)
        waiting = nil
    }
}

extension CertificateInquiry {
    /// Certificates decided without asking the user.
    public final class Record: Sendable {
        private let latest = Mutex<TrustEvaluation?>(nil)

        public init() {}

        public var last: TrustEvaluation? { latest.withLock { $0 } }

        public func note(_ evaluation: TrustEvaluation) { latest.withLock { $0 = evaluation } }
    }
}

/// The details of a certificate that a user compares before trusting it.
public struct CertificateDetails: Sendable, Hashable {
    /// The name that the server should have.
    public let serverName: String
    /// Why it is not trusted, as a sentence for the user.
    public let reason: String
    public let owner: String
    public let issuer: String
    /// The first and the last day of validity, as `2026-11-21`.
    public let validity: ClosedRange<String>
    /// SHA-256 in hexadecimal digits, in groups of two.
    public let fingerprint: String
}

extension CertificateInquiry {
    /// The details of ``question``.
    public var details: CertificateDetails? {
        guard let question, let leaf = question.certificates.first else { return nil }
        let first = Wording.day(leaf.notBefore)
        return CertificateDetails(
            serverName: question.serverName, reason: Wording.failure(question), owner: leaf.subject,
            issuer: leaf.issuer,
            validity: first...max(first, Wording.day(leaf.notAfter)), fingerprint: leaf.fingerprintText)
    }
}
