internal import AccountRegistration
internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import JSONRPC
internal import Localization
internal import Media
internal import SASLMechanisms
internal import TerminalApp
internal import TransportLayer
internal import UserProfile
internal import XMPPClient
internal import XMPPStream

/// Why a command failed: an exit status and a message for standard error that says what to do.
struct CommandError: Error, CustomStringConvertible {
    var status: ExitStatus
    var description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    static func usage(_ description: String) -> CommandError {
        CommandError(.usage, description)
    }

    static func failed(_ description: String) -> CommandError {
        CommandError(.failed, description)
    }
}

/// The exit status of a program of this package, for scripts.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    /// The command line is invalid.
    case usage = 2
    /// The server rejected the account or its password.
    case authentication = 3
    /// The server could not be reached, or not with encryption.
    case connection = 4
    /// Another program uses the profile.
    case profileInUse = 5
    /// The conversations cannot be read or saved: the disk is full, the file is damaged, or from a newer version.
    case store = 6
}

extension CommandError {
    /// The message for the user and the exit status for an error of the library.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as ClientError: self.init(client: error)
        case let error as RegistrationError: self.init(error)
        case let error as StoreError: self.init(store: error)
        case let error as ProfileFailure: self.init(profile: error)
        case let error as HistoryFileFailure: self.init(error)
        case let error as SendFailure: self.init(send: error)
        case let error as KeyFailure: self.init(keys: error)
        case let error as FileFailure: self = .failed(error.message)
        case let fault as JSONRPCError where fault == .unknownMethod:
            self.init(
                .profileInUse,
                localized("The program that has the profile open cannot do this for others; close it first."))
        case is JSONRPCError:
            self.init(
                .profileInUse, localized("The program that has the profile open does not answer; close it first."))
        case is CancellationError: self = .failed(localized("Interrupted."))
        default: self = .failed(Self.oneLine(Wording.failure(any: error)))
        }
    }

    private init(client error: ClientError) {
        let status = ExitStatus(rawValue: error.exitClass.rawValue) ?? .failed
        var text = Wording.failure(error, domain: nil)
        switch error.code {
        case .cancelled:
            self = .failed(localized("Interrupted."))
            return
        case .authenticationFailed where error.isWrongPassword || error.cause == nil:
            text = Wording.failure(StreamFailure(.credentialsRejected), domain: nil)
        case .encryptionFailed where error.streamFailure?.code == .certificateRejected:
            self = .untrusted(text)
            return
        default: break
        }
        self.init(status, Self.oneLine(text))
    }

    /// The certificate of the server is not trusted.
    static func untrusted(_ reason: String) -> CommandError {
        CommandError(
            .connection,
            oneLine(reason) + " " + localized("Give its authority with --ca, or look at it with --trust ask."))
    }

    private init(send failure: SendFailure) {
        if let cause = failure.cause {
            self.init(client: cause)
            return
        }
        let status: ExitStatus =
            switch failure.code {
            case .offline, .unconfirmed, .late: .connection
            case .failed, .undelivered, .file, .target, .interrupted, .notEncrypted: .failed
            case .store: .store
            case .account: .profileInUse
            }
        self.init(status, Self.oneLine(Wording.failure(failure)))
    }

    private init(keys failure: KeyFailure) {
        if let cause = failure.cause {
            self.init(client: cause)
            return
        }
        let status: ExitStatus =
            switch failure.code {
            case .offline: .connection
            case .store: .store
            case .account: .profileInUse
            case .unreadable: .usage
            case .off, .unknownKey, .ambiguous, .otherAccount, .unknownDevice, .refused: .failed
            }
        self.init(status, Self.oneLine(Wording.failure(failure)))
    }

    private init(_ error: RegistrationError) {
        switch error.code {
        case .nameTaken:
            self = .failed(
                localized("This account already exists; choose another name, or run `hongyan login`."))
        case .connection:
            self =
                error.cause.map { CommandError(client: $0) }
                ?? CommandError(.connection, Self.oneLine(Wording.failure(error)))
        default: self = .failed(Self.oneLine(Wording.failure(error)))
        }
    }

    /// Text of a server may contain anything.
    static func oneLine(_ text: String) -> String { TerminalText.harmless(text) }
}

extension CommandError {
    init(profile failure: ProfileFailure) {
        switch failure {
        case .store(let error, let path): self.init(store: error, at: path)
        case .folder: self.init(.store, failure.message)
        case .accountsUnreadable, .accountsUnwritable: self.init(.failed, failure.message)
        }
    }

    /// Runs `body`; a failure of the profile becomes a command error.
    static func inProfile<Result>(
        _ body: () throws(ProfileFailure) -> Result
    ) throws(CommandError) -> Result {
        do throws(ProfileFailure) {
            return try body()
        } catch {
            throw CommandError(profile: error)
        }
    }

    /// A failure of the store, as a message in the language of the user.
    ///
    /// - Parameter path: the path of the file, if it is known.
    init(store error: StoreError, at path: String? = nil) {
        let file = path ?? "chat.db"
        switch error.code {
        case .inUse, .busy:
            self.init(
                .profileInUse,
                localized(
                    "Another program has %@ open; close that one first, or use another folder with --profile.", file))
        case .tooNew:
            self.init(
                .store,
                localized(
                    "%@ was written by a newer version of this program; use that one, or another --profile.", file))
        case .invalidRequest, .invalidImport: self.init(.failed, Wording.failure(error, at: file))
        case .closed: self.init(.failed, localized("Interrupted."))
        default: self.init(.store, Wording.failure(error, at: file))
        }
    }
}
