public import XMPPAddress

/// The settings negotiated when a stream became ready for stanzas.
public struct StreamSession: Equatable, Sendable {
    /// The full address the stream is bound to, as the server gave it.
    public let address: JID

    /// Whether an earlier session was resumed (XEP-0198 §5): roster and presence need not be sent again.
    public let isResumed: Bool

    /// Whether stanzas are acknowledged (XEP-0198 §4).
    public let isManaged: Bool

    /// Whether the session can be resumed after the loss of the connection.
    public let isResumable: Bool

    /// The last features the server offered.
    public let features: StreamFeatures

    /// How the connection is encrypted; nil only where tests allowed plain text.
    public let tls: TLSInformation?

    /// The name of the SASL mechanism that authenticated the account.
    public let mechanism: String

    /// The functions that were performed together with the login.
    public let shortcuts: LoginShortcuts

    /// The unacknowledged stanzas of an earlier session that could not be resumed, oldest first. The owner decides
    /// whether to send them again.
    public let unacknowledged: [UnacknowledgedStanza]

    /// Whether XEP-0388 was used.
    public var usesSASL2: Bool { shortcuts.usesSASL2 }

    /// Whether the resource was bound together with the login (XEP-0386).
    public var isBoundInline: Bool { shortcuts.bindsInline }

    /// Whether a token was used instead of the password (XEP-0484).
    public var usesFAST: Bool { shortcuts.usesFAST }

    /// The namespaces of the functions that were enabled together with binding.
    public var inlineFeatures: Set<String> { shortcuts.inlineFeatures }
}

/// The state needed to resume a stream after its connection was lost (XEP-0198 §5), as a value that can be stored.
///
/// Get it from `ClientStream.resumptionState` at any time, or from the `StreamEnd` of a lost connection, and pass it to
/// the configuration of the next stream.
///
///     C: <resume xmlns='urn:xmpp:sm:3' h='2' previd='some-long-sm-id'/>
///     S: <resumed xmlns='urn:xmpp:sm:3' h='4' previd='some-long-sm-id'/>
public struct ResumptionState: Equatable, Codable, Sendable {
    /// The server's identifier of the session (the SM-ID); opaque.
    public let id: String

    /// The full address the session is bound to.
    public let address: JID

    /// The number of stanzas of the server that the owner has handled, modulo 2^32: the `h` of the next `<resume/>`.
    public private(set) var handledCount: UInt32

    /// The number of our stanzas that the server has acknowledged, modulo 2^32.
    public let acknowledgedCount: UInt32

    /// Our stanzas which the server has not acknowledged, oldest first.
    public let unacknowledged: [UnacknowledgedStanza]

    /// How long the server keeps the session after the loss of the connection, in seconds, if it announced it.
    public let maximumSeconds: Int?

    /// The `host:port` that the server named for the resumption, if it did.
    public let location: String?

    public init(
        id: String, address: JID, handledCount: UInt32, acknowledgedCount: UInt32,
        unacknowledged: [UnacknowledgedStanza], maximumSeconds: Int? = nil, location: String? = nil
    ) {
        self.id = id
        self.address = address
        self.handledCount = handledCount
        self.acknowledgedCount = acknowledgedCount
        self.unacknowledged = unacknowledged
        self.maximumSeconds = maximumSeconds
        self.location = location
    }

    /// Counts stanzas that were received before the connection was lost and handled after it.
    ///
    /// Otherwise the server sends them again after the resumption.
    public mutating func stanzasHandled(_ count: Int) {
        precondition(count >= 0, "a number of handled stanzas cannot be negative")
        handledCount &+= UInt32(truncatingIfNeeded: count)
    }
}
