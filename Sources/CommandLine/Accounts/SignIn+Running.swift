internal import AccountRegistration
internal import ChatModel
internal import Cryptography
internal import Glibc
internal import Localization
internal import Synchronization
internal import TerminalApp
internal import TransportLayer
internal import UserProfile
internal import XMPPClient

extension SignIn {
    /// What to do when the account does not exist yet.
    enum MissingAccount: Sendable {
        case fail
        /// Register it with the same password, and log in again.
        case register
    }

    /// Logs in, runs `body` and closes the session.
    ///
    /// - Parameter beginning: when `body` begins.
    /// - Throws: ``CommandError`` with the matching exit status. A saved password that the server rejects is removed;
    ///   other failures do not change it.
    nonisolated(nonsending) func run<Result>(
        _ configuration: ClientConfiguration, missingAccount: MissingAccount = .fail,
        from beginning: Client.Beginning = .online, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        let steps = connection.isVerbose ? ConnectionReport() : nil
        if let steps { configuration.add { steps.watch($0) } }
        configuration.trust = noting(configuration.trust)
        do {
            return try await Client(configuration).run(from: beginning, body)
        } catch let error as ClientError where error.isWrongPassword && missingAccount == .register {
            try await registerMissingAccount()
            StandardOutput.report(localized("Registered %@.", address.bare))
            return try await Client(configuration).run(from: beginning, body)
        } catch let error as ClientError where error.isWrongPassword {
            throw try await refused(error)
        } catch let error as ClientError {
            throw explained(error)
        }
    }

    /// Reports that the server rejected the credentials. A saved password is removed.
    @inline(never)
    func refused(_ error: ClientError) async throws(CommandError) -> CommandError {
        guard connection.identity == nil else {
            return CommandError(
                .authentication, localized("The server does not accept this certificate for %@.", address.bare))
        }
        if source == .store { try await PasswordSource.forget(address) }
        return CommandError(error)
    }

    /// Registers the account with the rejected password.
    func registerMissingAccount() async throws(CommandError) {
        do {
            try await Client(configuration).registerAccount()
        } catch {
            // The account exists with another password: the first reason is the helpful one.
            throw CommandError(ClientError(.authenticationFailed, "", cause: nil))
        }
    }
}

extension ClientError {
    /// Whether the user has to act before a session can begin.
    var isForPerson: Bool { isWrongPassword || streamFailure?.code == .certificateRejected }

    /// Whether the server states that the user name or password is wrong, and not another reason.
    var isWrongPassword: Bool {
        streamFailure?.code == .credentialsRejected
    }
}

/// Reports the steps of a connection on standard error (`--verbose`).
final class ConnectionReport: SessionExtension {
    func watch(_ session: Session) -> ConnectionReport { self }

    func run(in session: Session) async {
        for await batch in session.events(.connection) {
            for case .connection(let event) in batch {
                StandardOutput.report("· " + TerminalText.harmless(Wording.event(event)))
            }
        }
    }
}

/// Asks the user in the terminal about an untrusted certificate, once per certificate.
final class TrustQuestion: Sendable {
    private let answers = Mutex<[[UInt8]: Bool]>([:])

    /// The accepted certificates, in hexadecimal digits.
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
        let isAccepted = Wording.isYes(await onOwnThread { TerminalMode.readLine(prompt: text) } ?? "")
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
