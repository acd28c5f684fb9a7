public import MessageSemantics
internal import OMEMO

extension ProtectionError.Code {
    /// It was opened before: this is one more copy of it.
    public static let repeated = Self(rawValue: "repeated")
    /// The person distrusts the device.
    public static let distrusted = Self(rawValue: "distrusted")
    /// The device sent nothing for a long time, and the person excludes such devices.
    public static let unused = Self(rawValue: "unused")
    /// The device's software cannot read changes and reactions that are encrypted.
    public static let notCarried = Self(rawValue: "not-carried")
    /// The file service gives addresses that are not `https`, for which a link cannot contain the key.
    public static let insecureFileService = Self(rawValue: "insecure-file-service")
    /// The keys of this device cannot be read.
    public static let ownKeys = Self(rawValue: "own-keys")
}

extension ProtectionError {
    /// Why a message cannot be opened.
    init(opening error: OMEMOError) {
        let code: Code =
            switch error.code {
            case .alreadyDecrypted: .repeated
            case .counterReused, .keyDiscarded, .sessionsDiffer, .unknownPreKey, .unknownSignedPreKey, .wrongSession,
                .tooManySkippedMessages, .unknownFormat, .damagedState:
                .keyMissing
            case .randomnessUnavailable: .ownKeys
            case .invalidKey, .invalidDevice, .invalidSignature, .noPreKeys, .malformed, .unsupportedVersion,
                .counterOutOfRange, .notAuthentic, .damagedPayload:
                .damaged
            }
        self.init(code, error.description, cause: error)
    }
}
