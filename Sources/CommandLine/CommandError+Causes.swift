internal import AccountRegistration
internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import Localization
internal import Media
internal import SASLMechanisms
internal import TerminalApp
internal import TransportLayer
internal import UserProfile
internal import XMPPClient
internal import XMPPStream

extension CommandError {
    /// The error of the library as a sentence for a person and a status for scripts.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as ClientError: self.init(client: error)
        case let error as RegistrationError: self.init(error)
        case let error as StoreError: self.init(store: error)
        case let error as ProfileFailure: self.init(profile: error)
        case is CancellationError: self = .failed(localized("Interrupted."))
        default: self = .failed("\(error)")
        }
    }

    private init(client error: ClientError) {
        let status = ExitStatus(rawValue: error.exitClass.rawValue) ?? .failed
        switch error.code {
        case .authenticationFailed where error.isWrongPassword || error.cause == nil:
            self.init(
                .authentication, localized("The user name or the password is wrong; check both and log in again."))
        case .stanzaTooLarge, .stanzaRefused: self.init(.failed, Wording.failure(error))
        case .timedOut where status == .connection:
            self.init(.connection, localized("The connection to the server timed out; check network, host and port."))
        case .encryptionFailed where error.streamFailure?.code == .certificateRejected:
            let words = error.streamFailure?.text ?? error.sentence
            let advice = localized("Give its authority with --ca, or look at it with --trust ask.")
            self.init(.connection, Self.oneLine(words) + " " + advice)
        case .connectionFailed:
            self.init(.connection, localized("The connection to the server failed. %@", Self.oneLine(error.sentence)))
        case .protocolViolated where error.streamFailure?.sender != nil:
            self.init(status, Self.oneLine(error.streamFailure?.senderWords ?? error.sentence))
        case .policyViolated where error.streamFailure?.saslError?.meansDowngrade == true:
            let phrase = error.streamFailure.map { "\($0.phrase.text) \($0.advice.text)" }
            self.init(status, phrase ?? Self.oneLine(error.sentence))
        case .cancelled: self.init(.failed, localized("Interrupted."))
        default: self.init(status, Self.oneLine(error.sentence))
        }
    }

    private init(_ error: RegistrationError) {
        switch error.code {
        case .nameTaken:
            self = .failed(
                localized("An account with this name exists already; choose another name, or run `hongyan login`."))
        case .connection:
            self =
                error.cause.map { CommandError(client: $0) }
                ?? CommandError(.connection, Self.oneLine(error.description))
        default: self = .failed(Self.oneLine(error.description))
        }
    }

    /// Server text may hold anything.
    static func oneLine(_ text: String) -> String { TerminalText.harmless(text) }
}
