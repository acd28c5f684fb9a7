internal import ChatModel
internal import Cryptography
internal import Glibc
internal import Localization
internal import Synchronization
internal import TerminalApp
internal import TransportLayer

/// Asks the user in the terminal about an untrusted certificate, once per certificate.
final class TrustQuestion: Sendable {
    private let answers = Mutex<[[UInt8]: Bool]>([:])

    /// Those that were accepted, in hexadecimal digits.
    var accepted: [String] {
        answers.withLock { $0.filter(\.value).keys.map { Hex.encode($0) } }.sorted()
    }

    var policy: TrustPolicy {
        .ask { evaluation in await self.ask(evaluation) }
    }

    private func ask(_ evaluation: TrustEvaluation) async -> Bool {
        guard let leaf = evaluation.certificates.first else { return false }
        if let answer = answers.withLock({ $0[leaf.sha256Fingerprint] }) { return answer }
        let text = Self.text(evaluation)
        let answer = await onOwnThread { TerminalMode.readLine(prompt: text) }?.lowercased() ?? ""
        let isAccepted = [localized("yes"), "yes", "y", "是"].contains(answer)
        answers.withLock { $0[leaf.sha256Fingerprint] = isAccepted }
        return isAccepted
    }

    static func text(_ evaluation: TrustEvaluation) -> String {
        var lines = [localized("The certificate of %@ is not trusted:", TerminalText.harmless(evaluation.serverName))]
        lines += evaluation.problems.map { "  " + TerminalText.harmless(Wording.failure($0)) }
        for (number, certificate) in evaluation.certificates.enumerated() {
            lines.append("  \(number + 1). " + TerminalText.harmless(certificate.description))
        }
        lines.append(localized("Compare the fingerprint with one that you got in another way."))
        return lines.joined(separator: "\n") + "\n" + localized("Trust it (yes/no)? ")
    }
}
