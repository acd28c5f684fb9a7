/// Why a key, a message or a stored session was refused.
///
/// Every input from outside that is not what it should be ends in one of these errors, and none of them changes a session.
/// An error contains no key material.
public struct OMEMOError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        // Keys.
        /// A public or private key does not have the required length or is not a usable point.
        case invalidKey
        /// A device id is outside 1…2³¹−1.
        case invalidDevice
        /// The signature of a bundle's signed pre-key is not by its identity key.
        case invalidSignature
        /// A bundle offers no one-time key; a key exchange without one must not be made (XEP-0384 §4.2).
        case noPreKeys
        /// The system provided no random bytes.
        case randomnessUnavailable

        // Messages.
        /// The bytes are not the message they claim to be.
        case malformed
        /// The message is of another version of the protocol; the associated value is its first byte.
        case unsupportedVersion(UInt8)
        /// A counter does not fit in 32 bits, is negative, or cannot be increased.
        case counterOutOfRange
        /// The message is further ahead than ``OMEMOLimits/skippedMessages`` allows.
        case tooManySkippedMessages
        /// The key exchange refers to a one-time key that this device does not have, or to none.
        case unknownPreKey
        /// The key exchange refers to a signed pre-key that this device does not have.
        case unknownSignedPreKey
        /// The message belongs to another generation, or the key exchange to another device, than this session.
        case wrongSession

        // Decryption.
        /// The message was decrypted before. It must be ignored without a warning (XEP-0384 §6).
        case alreadyDecrypted
        /// The counter was used before with different content: the peer works with a restored copy of its session.
        case counterReused
        /// The counter was used before, and whether with the same content is not remembered: the message is repeated, or
        /// the peer works with a restored copy of its session.
        case counterUsed
        /// The key of this delayed message was discarded because it was too old, or because there were too many.
        case keyDiscarded
        /// The authentication code is wrong: the message was changed on its way.
        case notAuthentic
        /// The message is of a ratchet key that this session cannot follow. Either it is forged, or this device or its
        /// peer works with a restored copy of its session: a new session is needed.
        case sessionsDiffer
        /// The payload does not belong to the key that came with it.
        case damagedPayload

        // Storage.
        /// The stored session is of a newer version of this program.
        case unknownFormat(UInt8)
        /// The stored session is damaged.
        case damagedState
    }

    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// A description in English.
    public var description: String {
        switch code {
        case .invalidKey: "A key is not valid."
        case .invalidDevice: "A device id is not between 1 and 2147483647."
        case .invalidSignature: "The signature of a signed pre-key is not valid."
        case .noPreKeys: "The device offers no one-time keys."
        case .randomnessUnavailable: "The system provided no random bytes."
        case .malformed: "The message is malformed."
        case .unsupportedVersion(let version): "The message is of the unknown version \(version >> 4)."
        case .counterOutOfRange: "A counter of the message is out of range."
        case .tooManySkippedMessages: "Too many messages before this one are missing."
        case .unknownPreKey: "The message was encrypted with an unknown one-time key."
        case .unknownSignedPreKey: "The message was encrypted with an unknown signed key."
        case .wrongSession: "The message does not belong to this session."
        case .alreadyDecrypted: "The message was already decrypted."
        case .counterReused: "The sender used the same counter twice."
        case .counterUsed: "The key of this message was used before."
        case .keyDiscarded: "The key of this delayed message was discarded."
        case .notAuthentic: "The message is not authentic."
        case .sessionsDiffer: "The message cannot be decrypted with this session."
        case .damagedPayload: "The content of the message is damaged."
        case .unknownFormat(let version): "The stored session has the unknown format \(version)."
        case .damagedState: "The stored session is damaged."
        }
    }
}
