internal import AccountRegistration
internal import Localization
internal import TerminalApp
internal import XMPPClient

extension SignIn {
    /// What to do when the account does not exist yet.
    enum MissingAccount: Sendable {
        case fail
        /// Register it with the same password, and log in again.
        case register
    }

    /// Logs in, runs `body` and signs off.
    ///
    /// - Parameter beginning: when `body` begins.
    /// - Throws: ``CommandError`` with the exit status that fits. A kept password that the server refuses is forgotten;
    ///   no other failure touches it.
    nonisolated(nonsending) func run<Result>(
        _ configuration: ClientConfiguration, missingAccount: MissingAccount = .fail,
        from beginning: Client.Beginning = .online, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        let steps = connection.isVerbose ? ConnectionReport() : nil
        if let steps { configuration.add { steps.watch($0) } }
        do {
            return try await Client(configuration).run(from: beginning, body)
        } catch let error as ClientError where error.isWrongPassword && missingAccount == .register {
            try await registerMissingAccount()
            StandardOutput.report(localized("Registered %@.", address.bare))
            return try await Client(configuration).run(from: beginning, body)
        } catch let error as ClientError where error.isWrongPassword {
            throw try await refused(error)
        }
    }

    /// What to say when the server does not accept the credentials. A kept password is forgotten.
    @inline(never)
    func refused(_ error: ClientError) async throws(CommandError) -> CommandError {
        guard connection.identity == nil else {
            return CommandError(
                .authentication, localized("The server does not accept this certificate for %@.", address.bare))
        }
        if source == .store { try await PasswordSource.forget(address) }
        return CommandError(error)
    }

    /// Registers the account with the password that was refused for it.
    func registerMissingAccount() async throws(CommandError) {
        do {
            try await Client(configuration).registerAccount()
        } catch {
            // The account exists, with another password: the first reason is the one that helps.
            throw CommandError(ClientError(.authenticationFailed, "", cause: nil))
        }
    }
}

extension ClientError {
    /// The server says that user name or password are wrong, and not that something else is in the way.
    var isWrongPassword: Bool {
        streamFailure?.code == .credentialsRejected
    }
}
