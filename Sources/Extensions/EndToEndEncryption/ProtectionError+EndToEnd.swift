public import MessageSemantics
internal import OMEMO
internal import XMPPAddress
internal import XMPPClient

extension ProtectionError.Code {
    /// The room hides the addresses of its members, so the recipients are unknown (XEP-0384 §5.8).
    public static let anonymousRoom = Self(rawValue: "anonymous-room")
    /// Any user can join the room, and could not decrypt its messages.
    public static let publicRoom = Self(rawValue: "public-room")
    /// The room does not show its members to this account.
    public static let membersUnknown = Self(rawValue: "members-unknown")
    /// The room has more members than a message can be encrypted for.
    public static let tooManyRecipients = Self(rawValue: "too-many-recipients")
    /// A private message in a room: the address of the occupant's account is not certain.
    public static let privateRoomMessage = Self(rawValue: "private-room-message")
    /// An account announces more devices than a person has.
    public static let tooManyDevices = Self(rawValue: "too-many-devices")
    /// A device list cannot be read.
    public static let listDamaged = Self(rawValue: "list-damaged")
    /// A device announces itself without publishing its keys.
    public static let bundleMissing = Self(rawValue: "bundle-missing")
    /// The keys of a device cannot be read, or their signature is wrong.
    public static let bundleDamaged = Self(rawValue: "bundle-damaged")
    /// The account's server does not let this account read its devices or keys.
    public static let keysForbidden = Self(rawValue: "keys-forbidden")
    /// The server refused what this device published.
    public static let publishingRefused = Self(rawValue: "publishing-refused")
}

extension DeviceListing {
    /// Why nothing can be encrypted for this account; `nil` if it announces a device.
    public var error: ProtectionError? {
        guard devices.isEmpty else { return nil }
        let failure = failures[.current] ?? failures[.legacy]
        let (code, text): (ProtectionError.Code, String) =
            switch failure {
            case nil: (.noDevice, "The account announces no device that can decrypt.")
            case .forbidden: (.keysForbidden, "The account's device list is not public.")
            case .damaged: (.listDamaged, "The account's device list cannot be read.")
            case .tooManyDevices: (.tooManyDevices, "The account announces too many devices.")
            case .unreachable: (.unreachable, "The account's device list cannot be requested now.")
            }
        return ProtectionError(
            code, text, recipients: [.init(account, code)], isTemporary: failures.values.contains(.unreachable))
    }
}

extension ClientError {
    /// The meaning of a failed request for a device list or bundle.
    var reading: ReadingFailure {
        switch code {
        case .refused:
            switch stanzaError?.condition {
            // A server answers like this for an account that does not exist, or that has never published anything.
            case .itemNotFound?, .serviceUnavailable?, .featureNotImplemented?: .missing
            case .forbidden?, .notAuthorized?, .notAllowed?, .subscriptionRequired?, .registrationRequired?: .forbidden
            default: .unreachable
            }
        case .unreadableAnswer: .damaged
        default: .unreachable
        }
    }

    /// Whether the account's server cannot be reached or does not respond.
    var isSilence: Bool {
        switch stanzaError?.condition {
        case .remoteServerNotFound?, .remoteServerTimeout?: true
        case nil: code == .timedOut && streamFailure == nil
        default: false
        }
    }

    /// Whether a server has caused it, not this session's own state.
    var isOfServer: Bool { code == .refused || code == .timedOut }
}

/// Why data of an account could not be read.
enum ReadingFailure {
    case missing, forbidden, damaged, unreachable
}
