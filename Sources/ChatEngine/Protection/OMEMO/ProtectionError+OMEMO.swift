public import MessageSemantics
internal import OMEMO

extension ProtectionError.Code {
    /// It was opened before: this is one more copy of it.
    public static let repeated = Self(rawValue: "repeated")
    /// There is no session with the device that has sent it, or not the one in which it was encrypted.
    public static let noSession = Self(rawValue: "no-session")
    /// It begins a session with a key of this device that is not here any more, or never was.
    public static let unknownPreKey = Self(rawValue: "unknown-pre-key")
    /// The key of the message was used or discarded.
    public static let keyDiscarded = Self(rawValue: "key-discarded")
    /// The person distrusts the device.
    public static let distrusted = Self(rawValue: "distrusted")
    /// The device sent nothing for a long time, and the person excludes such devices.
    public static let unused = Self(rawValue: "unused")
    /// The other account asks for messages without encryption, and the person has not decided yet.
    public static let optedOut = Self(rawValue: "opted-out")
    /// The device's software cannot read changes and reactions that are encrypted.
    public static let notCarried = Self(rawValue: "not-carried")
    /// The file service gives addresses that are not `https`, for which a link cannot contain the key.
    public static let insecureFileService = Self(rawValue: "insecure-file-service")
    /// The clock of the sender differs from the time at which the message was sent.
    public static let wrongTime = Self(rawValue: "wrong-time")
    /// The keys of this device cannot be read.
    public static let ownKeys = Self(rawValue: "own-keys")

    /// Whether a new session helps, and a copy of the message.
    var isRepairable: Bool { [.keyMissing, .noSession, .unknownPreKey, .keyDiscarded].contains(self) }
}

extension ProtectionError {
    /// Why a message cannot be opened.
    init(opening error: OMEMOError) {
        let code: Code =
            switch error.code {
            case .alreadyDecrypted: .repeated
            case .sessionsDiffer, .wrongSession, .unknownFormat, .damagedState: .noSession
            case .unknownPreKey, .unknownSignedPreKey: .unknownPreKey
            case .counterReused, .counterUsed, .keyDiscarded, .tooManySkippedMessages: .keyDiscarded
            case .randomnessUnavailable: .ownKeys
            case .invalidKey, .invalidDevice, .invalidSignature, .noPreKeys, .malformed, .unsupportedVersion,
                .counterOutOfRange, .notAuthentic, .damagedPayload:
                .damaged
            }
        self.init(code, error.description, cause: error)
    }

    /// Why a decrypted envelope does not belong to its stanza.
    init(opening error: EnvelopeError) {
        let code: Code =
            switch error.code {
            case .malformed: .damaged
            case .wrongTime: .wrongTime
            case .wrongSender, .wrongRecipient, .missingRecipient: .forged
            }
        self.init(code, error.description, cause: error)
    }
}
