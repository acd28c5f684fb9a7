/// What a stanza says about the envelope in it, to compare the two (XEP-0420 §4, XEP-0384 §5.5.1).
public struct EnvelopeContext: Sendable {
    /// The bare address of the sender: in a room, the address of the occupant's account.
    public var sender: String
    /// The bare address of the recipient: in a room, the address of the room.
    public var recipient: String
    public var isGroup: Bool
    /// When the stanza was sent, in seconds since 1970: now, or the time of its delay or archive.
    public var sent: Int64
    /// The form of an address in which equal addresses are equal strings; `nil` if it is not an address.
    public var canonicalAddress: @Sendable (String) -> String?
    /// The seconds since 1970 of an envelope's time; `nil` if it is not one.
    public var seconds: @Sendable (String) -> Int64?

    /// Seconds by which the time of the envelope may differ from ``sent``.
    public var tolerance: Int64

    /// The tolerance for the time that a server or an archive states: computers with a wrong time zone are refused, those
    /// without time synchronisation are not.
    public static let stampTolerance: Int64 = 600
    /// The tolerance for the clock of this device: it can be wrong, and the sender repeats what it could not send for a
    /// while. A ratchet accepts no message twice, whatever its time is.
    public static let clockTolerance: Int64 = 86_400

    public init(
        sender: String, recipient: String, isGroup: Bool, sent: Int64, tolerance: Int64 = Self.stampTolerance,
        canonicalAddress: @escaping @Sendable (String) -> String?, seconds: @escaping @Sendable (String) -> Int64?
    ) {
        self.sender = sender
        self.recipient = recipient
        self.isGroup = isGroup
        self.sent = sent
        self.tolerance = tolerance
        self.canonicalAddress = canonicalAddress
        self.seconds = seconds
    }

    /// Throws unless everything that the envelope says about its stanza is true.
    ///
    /// The sender may be missing, because it is only recommended; the recipient may be missing outside of rooms. What is
    /// there must be true. A missing padding is not an error.
    public func check(_ envelope: Envelope) throws(EnvelopeError) {
        if let from = envelope.from, !areEqual(from, sender) { throw EnvelopeError(.wrongSender) }
        if let to = envelope.to {
            guard areEqual(to, recipient) else { throw EnvelopeError(.wrongRecipient) }
        } else if isGroup {
            throw EnvelopeError(.missingRecipient)
        }
        if let time = envelope.time {
            guard let seconds = seconds(time) else { throw EnvelopeError(.malformed) }
            let (difference, overflow) = seconds.subtractingReportingOverflow(sent)
            guard !overflow, difference.magnitude <= UInt64(max(0, tolerance)) else {
                throw EnvelopeError(.wrongTime)
            }
        }
    }

    private func areEqual(_ one: String, _ other: String) -> Bool {
        guard let one = canonicalAddress(one), let other = canonicalAddress(other) else { return false }
        return one == other
    }
}

/// Why a decrypted envelope is refused.
public struct EnvelopeError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable, CaseIterable {
        /// The plaintext is not an envelope.
        case malformed
        /// The envelope is by another sender than the stanza.
        case wrongSender
        /// The envelope is for another recipient or room than the stanza.
        case wrongRecipient
        /// The envelope does not say for which room it is.
        case missingRecipient
        /// The envelope was encrypted at another time than the stanza was sent.
        case wrongTime
    }

    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// A description in English.
    public var description: String {
        switch code {
        case .malformed: "The decrypted content is malformed."
        case .wrongSender: "The message was encrypted by another sender."
        case .wrongRecipient: "The message was encrypted for another recipient."
        case .missingRecipient: "The message does not say for which room it was encrypted."
        case .wrongTime: "The message was encrypted at another time."
        }
    }
}
