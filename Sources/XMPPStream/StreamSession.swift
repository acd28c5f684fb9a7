public import XMPPAddress

/// The settings negotiated when a stream became ready for stanzas.
public struct StreamSession: Equatable, Sendable {
    /// The full address the stream is bound to, as the server gave it.
    public let address: JID

    /// Whether this is an earlier session that goes on (XEP-0198 §5): roster and presence need not be sent again.
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

    /// What an earlier session left unacknowledged when it could not be resumed, oldest first. The owner decides
    /// whether to send these again.
    public let unacknowledged: [UnacknowledgedStanza]

    /// Whether XEP-0388 was used.
    public var usesSASL2: Bool { shortcuts.usesSASL2 }

    /// Whether the resource was bound together with the login (XEP-0386).
    public var isBoundInline: Bool { shortcuts.bindsInline }

    /// Whether a token stood in for the password (XEP-0484).
    public var usesFAST: Bool { shortcuts.usesFAST }

    /// The namespaces of what was switched on together with the binding.
    public var inlineFeatures: Set<String> { shortcuts.inlineFeatures }
}
