internal import Foundation
internal import Localization
public import Observation
internal import Synchronization
public import TransportLayer

/// Asks a person about a certificate that nobody vouches for, while the connection waits.
@MainActor
@Observable
public final class CertificateInquiry {
    public enum Answer: Sendable, Hashable {
        case refuse
        /// Until the program ends.
        case trustOnce
        /// From now on; see ``accepted``.
        case trustAlways
    }

    /// What is asked at the moment.
    public private(set) var question: TrustEvaluation?
    /// What is trusted for good, by SHA-256.
    public private(set) var accepted: Set<[UInt8]> = []
    /// What is trusted for now.
    public private(set) var acceptedForNow: Set<[UInt8]> = []
    /// What was not trusted last, to say why the connection failed.
    public private(set) var refused: TrustEvaluation?

    @ObservationIgnored private var waiting: CheckedContinuation<Bool, Never>?

    init() {}

    func ask(_ evaluation: TrustEvaluation) async -> Bool {
        guard let leaf = evaluation.certificates.first else { return false }
        if accepted.contains(leaf.sha256Fingerprint) || acceptedForNow.contains(leaf.sha256Fingerprint) { return true }
        // One question at a time; the attempt before is over.
        answer(.refuse)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: false) }
                waiting = continuation
                question = evaluation
            }
        } onCancel: {
            Task { @MainActor in self.answer(.refuse) }
        }
    }

    /// What the person says.
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
        waiting?.resume(returning: answer != .refuse)
        waiting = nil
    }
}

extension CertificateInquiry {
    /// Remembers what nobody is asked about.
    final class Record: Sendable {
        private let latest = Mutex<TrustEvaluation?>(nil)

        var last: TrustEvaluation? { latest.withLock { $0 } }

        func note(_ evaluation: TrustEvaluation) { latest.withLock { $0 = evaluation } }
    }
}

/// What a person compares before trusting a certificate.
public struct CertificateDetails: Sendable, Hashable {
    /// Who the server should be.
    public let serverName: String
    /// Why nobody vouches for it, as a sentence.
    public let reason: String
    public let owner: String
    public let issuer: String
    /// The first and the last day, as `2026-11-21`.
    public let validity: ClosedRange<String>
    /// SHA-256 in hexadecimal digits, in groups of two.
    public let fingerprint: String
}

extension CertificateInquiry {
    /// What ``question`` is about, to be shown.
    public var details: CertificateDetails? {
        guard let question, let leaf = question.certificates.first else { return nil }
        let first = Wording.day(leaf.notBefore)
        return CertificateDetails(
            serverName: question.serverName, reason: Wording.failure(question), owner: leaf.subject,
            issuer: leaf.issuer,
            validity: first...max(first, Wording.day(leaf.notAfter)), fingerprint: leaf.fingerprintText)
    }
}
