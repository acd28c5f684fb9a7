/// What is known of a message's end-to-end protection; stored with the message.
public enum MessageProtection: Hashable, Sendable, Codable {
    /// The servers on its way can read it.
    case none
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
}

/// What a person thinks of a device of somebody.
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
    public var notices: [ProtectionNotice]

    public init(_ records: [Record], notices: [ProtectionNotice] = []) {
        self.records = records
        self.notices = notices
    }
}
