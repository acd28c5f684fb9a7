/// What is known of a message's end-to-end protection; stored with the message.
public enum MessageProtection: Hashable, Sendable, Codable {
    /// The servers on its way can read it.
    case none
    /// The same, although the conversation is encrypted: anybody on its way could have written it.
    case clear
    /// Only devices of its conversation can read it.
    ///
    /// - Parameters:
    ///   - scheme: the namespace of the encryption.
    ///   - device: the fingerprint of the device that sealed it, in lower-case hexadecimal digits.
    ///   - trust: what the person thought of that device when the message was opened.
    case encrypted(scheme: String, device: String?, trust: DeviceTrust)
    /// It is sealed and could not be opened here: nothing of its content is known.
    ///
    /// - Parameter reason: the code of the ``ProtectionError``.
    case notOpened(scheme: String?, reason: String)

    public var isNotOpened: Bool { if case .notOpened = self { true } else { false } }

    /// It arrived sealed, whether or not it could be opened.
    public var isSealed: Bool {
        switch self {
        case .none, .clear: false
        case .encrypted, .notOpened: true
        }
    }

    /// The schemes that encrypt texts only: their programs send everything else in clear.
    private static let textSchemes: Set<String> = ["eu.siacs.conversations.axolotl"]

    /// Whether a correction, retraction or reaction with this protection may change a message with another one.
    ///
    /// A message that was sealed is not changed by one in clear, which a server could have written. Retractions and
    /// reactions to a message of a scheme that encrypts texts only are the exception.
    public func mayChange(_ message: MessageProtection, by action: MessageContent.Kind) -> Bool {
        guard !isSealed else { return true }
        let scheme: String?
        switch message {
        case .none, .clear: return true
        case .encrypted(let known, _, _): scheme = known
        case .notOpened(let known, _): scheme = known
        }
        return action != .correction && scheme.map { Self.textSchemes.contains($0) } ?? false
    }
}

/// The user's decision about a device.
public enum DeviceTrust: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing was decided yet.
    case undecided
    case distrusted
    /// Believed without a comparison of fingerprints.
    case trusted
    /// The fingerprints were compared.
    case verified
}

/// What a ``ContentProtection`` remembers, as named records of an account: written in the transaction of the message that has
/// changed it. Only the protection knows what is in them.
public struct ProtectionChange: Hashable, Sendable {
    public struct Record: Hashable, Sendable {
        public var name: String
        /// `nil` removes the record.
        public var value: [UInt8]?

        public init(_ name: String, _ value: [UInt8]?) {
            self.name = name
            self.value = value
        }
    }

    public var records: [Record]
    /// What the person should see in its conversation; stored where the conversation exists.
    public var notices: [ConversationNotice]

    public init(_ records: [Record], notices: [ConversationNotice] = []) {
        self.records = records
        self.notices = notices
    }
}
