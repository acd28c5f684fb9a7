public import XMPPAddress

/// Why something cannot be opened or sealed.
public struct ProtectionError: Error, Sendable, CustomStringConvertible {
    /// A word for programs; a protection can have further ones.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// It was sealed for other devices than this one.
        public static let otherDevice = Code(rawValue: "other-device")
        /// The keys that would open it are not here, or not any more.
        public static let keyMissing = Code(rawValue: "key-missing")
        /// The same, and the device that has sent it is asked for a copy.
        public static let requested = Code(rawValue: "requested")
        /// It is damaged, or it was changed on its way.
        public static let damaged = Code(rawValue: "damaged")
        /// It is not from whom it says.
        public static let forged = Code(rawValue: "forged")
        /// It is sealed in a way that the account does not open.
        public static let notSupported = Code(rawValue: "not-supported")
        /// Opening took longer than is waited for.
        public static let timedOut = Code(rawValue: "timed-out")
        /// No device of a recipient can open what would be sent.
        public static let noDevice = Code(rawValue: "no-device")
        /// The person has not decided about a device of a recipient.
        public static let undecided = Code(rawValue: "undecided")
        /// The keys of a recipient cannot be asked for now.
        public static let unreachable = Code(rawValue: "unreachable")
    }

    /// A device for which sealing failed.
    public struct Recipient: Hashable, Sendable, Codable {
        /// The bare address of an account.
        public var address: JID
        /// The fingerprint or number of the device; `nil` if none is known.
        public var device: String?
        public var code: Code

        public init(_ address: JID, device: String? = nil, _ code: Code) {
            self.address = address
            self.device = device
            self.code = code
        }
    }

    public let code: Code
    /// One sentence for programmers; `Wording` has the one for people.
    public let description: String
    /// The namespace of the encryption, where it is known.
    public var scheme: String?
    /// The recipients for whom sealing failed.
    public var recipients: [Recipient]
    /// It may work later without an action of the person.
    public var isTemporary: Bool
    /// To be stored although it failed.
    public var change: ProtectionChange?
    public let cause: (any Error)?

    public init(
        _ code: Code, _ description: String, scheme: String? = nil, recipients: [Recipient] = [],
        isTemporary: Bool = false, change: ProtectionChange? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.description = description
        self.scheme = scheme
        self.recipients = recipients
        self.isTemporary = isTemporary
        self.change = change
        self.cause = cause
    }
}
