public import AccountRegistration
public import ChatEngine
public import ChatStore
public import FileSharing
internal import Foundation
internal import Localization
public import Media
public import Profiles
public import TransportLayer
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Texts for errors, by their code. The errors' own messages are for developers.
extension Wording {
    /// Any error.
    public static func failure(any error: any Error) -> String {
        switch error {
        case let error as AccountStorageError: error.message
        case let error as SignInFailure: error.message
        case let error as ClientError: failure(error)
        case let error as StoreError: failure(error)
        case let error as MediaError: failure(error)
        case let error as RegistrationError: failure(error)
        case let error as RoomFailure: failure(error)
        case let error as OwnProfileFailure: failure(error)
        case let error as AttachmentFailure: failure(error)
        case let error as FileSharingError: failure(error)
        case let error as TransportError: failure(error)
        case let error as ProtectionError: failure(error)
        case let error as AddressError: failure(error)
        default: localized("Couldn't do that.")
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
        default: localized("Couldn't do that.")
        }
    }

    private static func refusal(_ error: ClientError) -> String {
        switch error.stanzaError?.condition {
        case .itemNotFound?, .jidMalformed?, .gone?, .recipientUnavailable?:
            localized("There is no user with this address.")
        case .notAllowed?, .forbidden?, .notAuthorized?, .policyViolation?, .registrationRequired?,
            .subscriptionRequired?:
            localized("The server does not allow it.")
        case .serviceUnavailable?, .featureNotImplemented?: localized("The server cannot do that.")
        case .remoteServerNotFound?, .remoteServerTimeout?: localized("The receiver's server cannot be reached.")
        case .resourceConstraint?: localized("The server accepts no more for now. Try again later.")
        default:
            said(by: error).map { localized("The server did not accept it: %@", localized("“%@”", $0)) }
                ?? localized("The server did not accept it.")
        }
    }

    /// The server's own text.
    private static func said(by error: ClientError) -> String? {
        let text = error.stanzaError?.text.best(for: [languageTag])
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    public static func failure(_ error: OwnProfileFailure) -> String {
        switch error {
        case .notConnected: localized("This needs a connection; try again when the account is online.")
        case .unreadablePicture: localized("This picture cannot be read.")
        case .refused(let error): failure(error)
        }
    }

    public static func failure(_ error: ProfileError) -> String {
        switch error.code {
        case .tooLarge: localized("The picture is too large.")
        case .wrongHash: localized("The picture is not the one that was announced.")
        default: error.cause.map { failure($0) } ?? localized("The server did not accept it.")
        }
    }

    /// Followed by the server's own text.
    public static func failure(_ error: RegistrationError) -> String {
        let reason =
            switch error.code {
            case .nameTaken: localized("This user name is already taken; choose another one.")
            case .notOffered:
                localized("This provider does not let programs create accounts. Look at its web page, or ask it.")
            case .notAcceptable, .answersMissing:
                localized("The provider does not accept the name, the password or another field.")
            case .tooMany:
                localized("The provider accepts no more new accounts from your network for now; try again later.")
            case .webPage: localized("This provider creates accounts on its web page only.")
            case .refused, .connection: localized("The provider refused.")
            }
        return error.serverText.map { reason + " " + localized("It says: %@", $0) } ?? reason
    }

    /// Why a typed text is not the address of a person.
    public static func refusal(_ refusal: ContactAddress.Refusal, of text: String) -> String {
        switch refusal {
        case .empty: localized("The address may not be empty.")
        case .own: localized("This is your own address.")
        case .alreadyContact(let address): localized("%@ is already a contact; nothing was sent.", address)
        case .invalid: localized("“%@” is not an address; write it as user@domain.", text)
        }
    }

    /// Why a text is not an address. Characters are named by number, because some are not visible.
    public static func failure(_ error: AddressError) -> String {
        let part =
            switch error.part {
            case .local: localized("The name before the @")
            case .domain: localized("The domain")
            case .resource: localized("What follows the /")
            case .whole: localized("The address")
            }
        func code(_ scalar: Unicode.Scalar) -> String { String(format: "U+%04X", scalar.value) }
        return switch error.reason {
        case .empty: localized("%@ is empty.", part)
        case .tooLong, .labelTooLong: localized("%@ is too long.", part)
        case .invalidUTF8: localized("%@ is not valid UTF-8.", part)
        case .disallowed(let scalar), .outOfContext(let scalar), .leadingMark(let scalar):
            localized("%@ contains the character %@, which is not allowed there.", part, code(scalar))
        case .mixedDirection: localized("%@ mixes text of both directions in an order that is not allowed.", part)
        case .emptyLabel: localized("%@ has a dot too many.", part)
        case .misplacedHyphen: localized("%@ has a hyphen where none is allowed.", part)
        case .invalidALabel, .invalidIPv4Address, .invalidIPv6Address:
            localized("%@ is not a valid name or number.", part)
        case .spaceAtEnd: localized("%@ begins or ends with a space.", part)
        }
    }

    // MARK: Files

    /// Why a file was not downloaded.
    public static func failure(_ error: AttachmentFailure) -> String {
        switch error.code {
        case .tooLarge: localized("The file is too large.")
        case .fileGone, .messageGone: localized("The file is not there any more.")
        case .wrongContent: localized("What came is not the file that was announced.")
        case .notStored: localized("It could not be saved on this computer.")
        case .cancelled: localized("It was cancelled.")
        case .offline: localized("This needs a connection; try again when the account is online.")
        case .interrupted: localized("The transfer was interrupted. Ask the contact to send the file again.")
        case .noUploadService, .uploadFailed, .quotaExceeded, .noDirectTransfers, .onlyInClear, .declined, .noAnswer:
            localized("The message was not delivered: %@", fragment(error.code))
        case .notProtected: localized("The file could not be decrypted.")
        case .notDownloaded: localized("The file could not be downloaded. Try again later.")
        }
    }

    public static func failure(_ error: FileSharingError) -> String {
        switch error.code {
        case .noUploadService: localized("The server does not accept files.")
        case .tooLarge: localized("The file is too large.")
        case .quotaExceeded: localized("The server accepts no more files from this account for now. Try again later.")
        case .refused: localized("The server did not accept it.")
        case .insecureAddress: localized("The server offers no safe place for files.")
        case .transferFailed: localized("The file could not be transferred. Try again later.")
        case .wrongSize, .wrongHash: localized("What came is not the file that was announced.")
        case .notBase64: localized("The file is damaged.")
        case .empty: localized("There is nothing in the file.")
        case .unreadable: localized("The file cannot be read.")
        }
    }

    /// Why a lookup, a connection or a transfer failed.
    public static func failure(_ error: TransportError) -> String {
        switch error.code {
        case .cancelled: localized("It was cancelled.")
        case .closed, .writingFinished, .connectionReset, .truncated: localized("The connection was lost.")
        case .connectionRefused: localized("Nothing listens there.")
        case .unreachable: localized("There is no route from this network.")
        case .timedOut: localized("There was no answer in time.")
        case .tlsFailed: localized("The encrypted connection could not be established.")
        case .certificateRefused:
            error.certificateProblems.first.map { failure($0) }
                ?? localized("The server's certificate was not accepted.")
        case .serviceNotOffered: localized("The domain does not offer this service.")
        case .hostNotFound: localized("The name has no address.")
        case .resolutionFailed: localized("The DNS servers did not answer, or reported a failure.")
        case .allCandidatesFailed: localized("The server could not be reached.")
        case .invalidConfiguration:
            error.file.map { failure($0) } ?? localized("A file, an address or a setting cannot be used.")
        case .system: localized("The system refused it.")
        case .httpStatus: localized("The web server refused it.")
        case .httpFailed: localized("The transfer failed.")
        case .proxyFailed: localized("The proxy did not connect to the server.")
        case .webSocketFailed: localized("The server does not accept this connection.")
        case .tooLarge: localized("There is more than is allowed.")
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

    /// - Parameter path: the file, if known.
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
