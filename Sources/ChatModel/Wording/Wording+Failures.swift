public import AccountRegistration
public import ChatEngine
public import ChatStore
internal import Localization
public import Media
public import Profiles
public import XMPPClient
internal import XMPPStanzas

/// Why something failed, by the code of the error. The sentences of the errors themselves are for programmers.
extension Wording {
    /// Whatever it is.
    public static func failure(any error: any Error) -> String {
        switch error {
        case let error as AccountKeepingFailure: error.sentence
        case let error as SignInFailure: error.sentence
        case let error as ClientError: failure(error)
        case let error as StoreError: failure(error)
        case let error as MediaError: failure(error)
        case let error as RegistrationError: failure(error)
        case let error as RoomFailure: failure(error)
        case let error as OwnProfileFailure: failure(error)
        default: localized("It did not work.")
        }
    }

    // MARK: Requests to the server

    public static func failure(_ error: ClientError) -> String {
        switch error.code {
        case .notConnected, .connectionFailed, .sessionEnded, .cancelled, .encryptionFailed, .authenticationFailed,
            .policyViolated, .conflict, .invalidConfiguration:
            localized("This needs a connection; try again when the account is online.")
        case .timedOut: localized("The server did not answer in time. Try again.")
        case .unacknowledged:
            localized("The connection was lost before the server confirmed this; it may or may not have arrived.")
        case .stanzaTooLarge: localized("This is too long: the server does not accept so much at once.")
        case .stanzaRefused:
            localized("The server ended the connection because of this, so it is not sent again.")
        case .queueFull: localized("Too much waits to be sent. Try again when the account is online.")
        case .refused: refusal(error)
        case .unreadableAnswer, .protocolViolated: localized("The server's answer cannot be understood.")
        case .storeFailed: localized("It could not be saved on this computer.")
        default: localized("It did not work.")
        }
    }

    private static func refusal(_ error: ClientError) -> String {
        switch error.stanzaError?.condition {
        case .itemNotFound?, .jidMalformed?, .gone?, .recipientUnavailable?:
            localized("There is nobody with this address.")
        case .notAllowed?, .forbidden?, .notAuthorized?, .policyViolation?, .registrationRequired?,
            .subscriptionRequired?:
            localized("The server does not allow it.")
        case .serviceUnavailable?, .featureNotImplemented?: localized("The server cannot do that.")
        case .remoteServerNotFound?, .remoteServerTimeout?: localized("The other server cannot be reached.")
        case .resourceConstraint?: localized("The server takes no more. Try again later.")
        default:
            said(by: error).map { localized("The server did not take it: %@", "“\($0)”") }
                ?? localized("The server did not take it.")
        }
    }

    /// The server's own words.
    private static func said(by error: ClientError) -> String? {
        let text = error.stanzaError?.text.best(for: Self.languages)
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static var languages: [String] { [Localization.language.replacing("_", with: "-")] }

    public static func failure(_ error: OwnProfileFailure) -> String {
        switch error {
        case .notConnected: localized("This needs a connection; try again when the account is online.")
        case .unreadablePicture: localized("This is no picture that can be read.")
        case .refused(let error): failure(error)
        }
    }

    public static func failure(_ error: ProfileError) -> String {
        switch error.code {
        case .tooLarge: localized("The picture is too large.")
        case .wrongHash: localized("The picture is not the one that was announced.")
        default: error.cause.map { failure($0) } ?? localized("The server did not take it.")
        }
    }

    /// With the server's own words behind it.
    public static func failure(_ error: RegistrationError) -> String {
        let reason =
            switch error.code {
            case .nameTaken: localized("An account with this name exists already; choose another name.")
            case .notOffered:
                localized("This provider does not let programs create accounts. Look at its web page, or ask it.")
            case .notAcceptable, .answersMissing:
                localized("The provider does not accept the name, the password or another answer.")
            case .tooMany: localized("The provider creates no more accounts from here for now; try again later.")
            case .webPage: localized("This provider creates accounts on its web page only.")
            case .refused, .connection: localized("The provider refused.")
            }
        return error.serverText.map { reason + " " + localized("It says: %@", $0) } ?? reason
    }

    // MARK: Files

    /// Why a file of a message was not fetched.
    public static func failure(_ error: AttachmentFailure) -> String {
        switch error.condition {
        case "too-large": localized("The file is too large.")
        case "file-gone", "message-gone": localized("The file is not there any more.")
        case "wrong-content": localized("What came is not the file that was announced.")
        case "not-kept": localized("It could not be saved on this computer.")
        case let condition where condition.hasPrefix(FailureReason.notSealed):
            localized("The file could not be decrypted.")
        default: localized("The file could not be fetched. Try again later.")
        }
    }

    public static func failure(_ error: MediaError) -> String {
        switch error.code {
        case .cancelled: localized("It was cancelled.")
        case .fileUnreadable: localized("The file cannot be read.")
        case .fileUnwritable: localized("The file cannot be written.")
        case .unrecognized, .unsupported: localized("Files of this type cannot be opened here.")
        case .corrupt: localized("The file is damaged.")
        case .empty: localized("There is nothing in the file.")
        case .tooLarge: localized("The file is too large.")
        case .tooLong: localized("The recording is too long.")
        case .missingPlugin: localized("A program for this type of file is not installed.")
        case .noSoundServer: localized("Sound does not work on this computer: PulseAudio or PipeWire does not answer.")
        case .noSoundDevice: localized("There is no microphone or loudspeaker that can be used.")
        default: localized("Recording or playing did not work.")
        }
    }

    // MARK: The store

    /// - Parameter path: the file, where it is known.
    public static func failure(_ error: StoreError, at path: String? = nil) -> String {
        let file = path ?? localized("The file of messages")
        return switch error.code {
        case .diskFull: localized("The disk is full, so nothing could be saved in %@; make room and try again.", file)
        case .readOnly: localized("%@ cannot be written to; check its folder and the permissions.", file)
        case .corrupt: localized("%@ is damaged; start the program again, and it saves what can be read.", file)
        case .inUse, .busy: localized("Another program has %@ open; close that one first.", file)
        case .tooNew: localized("%@ was written by a newer version of this program; use that one.", file)
        case .cannotOpen: localized("%@ cannot be opened.", file)
        case .invalidRequest: localized("That is not possible any more.")
        case .invalidImport: localized("This line of the import cannot be understood.")
        case .closed: localized("The program is being ended.")
        default: localized("%@ cannot be used.", file)
        }
    }
}
