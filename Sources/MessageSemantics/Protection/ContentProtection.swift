internal import MessagePayloads
internal import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The seam for end-to-end encryption: opens what came before it is read and stored, and seals what goes just before it is
/// written. One instance serves one account.
///
/// All routes of a message pass here once: live messages, carbons, rooms, archive pages, the send queue, uploads and downloads.
/// Opening and sealing come one at a time, those of one route in its order; the next one begins when the change of the one before is
/// stored or discarded, except for messages that came together.
///
/// What must be remembered, such as the state of a ratchet, is not stored here: each call returns it as a ``ProtectionChange``,
/// which is stored in the transaction of the message that it belongs to. Until ``stored(_:)`` it is provisional. If the program ends
/// between opening and storing, the server delivers the message again, and it is opened with the earlier state.
///
/// Only ``prepare(_:)`` and ``sealing(_:in:)`` may make requests to a server. Opening and sealing must not wait for one: while a live message
/// is opened, nothing else is received, and one waits for the other.
public protocol ContentProtection: Sendable {
    /// Whether a message is sealed, in a way that this knows. Nothing else is passed to ``open(_:by:)``.
    func isSealed(_ message: Message) -> Bool

    /// What is known of a message that is not sealed: ``MessageProtection/clear`` if it should have been.
    func protection(ofClear message: Message, by route: ReceivedRoute) async -> MessageProtection

    /// Opens a message.
    ///
    /// - Throws: why it cannot be opened. The message is stored all the same, as one that could not be opened, with that reason; a
    ///   change of the error is stored with it.
    func open(_ message: Message, by route: ReceivedRoute) async throws(ProtectionError) -> OpenedMessage

    /// What is stored with a message that was not opened in time, so that it is opened later; `nil` for nothing. Opening it
    /// was cancelled before.
    func postponement(of message: Message, by route: ReceivedRoute) async -> ProtectionChange?

    /// Asks for what ``seal(_:in:)`` needs: who reads the conversation now, and with which devices. Called before each message is sealed.
    ///
    /// - Throws: as ``seal(_:in:)``.
    func prepare(_ conversation: ConversationAddress) async throws(ProtectionError)

    /// Seals a message for the devices that the recipients have now. A message that waited in the queue is sealed when its turn comes,
    /// and again for each attempt.
    ///
    /// - Throws: why no receiver could open it. If that is temporary, the message waits, and the later ones of its conversation
    ///   with it.
    func seal(_ message: Message, in conversation: ConversationAddress) async throws(ProtectionError) -> SealedMessage

    /// How a file is sealed before it is uploaded; `nil` if it is uploaded as it is.
    func sealing(
        _ file: Attachment, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> FileSealing?

    /// How a file of a received message is opened after it was downloaded; `nil` if it is not sealed.
    func opening(_ file: Attachment) throws(ProtectionError) -> FileOpening?

    /// A change is stored, together with its message.
    func stored(_ change: ProtectionChange) async

    /// A change was not stored and will not be: the earlier state is valid.
    func discarded(_ change: ProtectionChange) async
}

extension ContentProtection {
    public func protection(ofClear message: Message, by route: ReceivedRoute) async -> MessageProtection { .none }

    public func postponement(of message: Message, by route: ReceivedRoute) async -> ProtectionChange? { nil }
}

/// Protects nothing: messages are read and sent as they are.
public struct PlainContent: ContentProtection {
    public init() {}

    public func isSealed(_ message: Message) -> Bool { false }

    public func open(_ message: Message, by route: ReceivedRoute) async throws(ProtectionError) -> OpenedMessage {
        OpenedMessage(message)
    }

    public func prepare(_ conversation: ConversationAddress) async throws(ProtectionError) {}

    public func seal(
        _ message: Message, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> SealedMessage { SealedMessage(message) }

    public func sealing(
        _ file: Attachment, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> FileSealing? { nil }

    public func opening(_ file: Attachment) throws(ProtectionError) -> FileOpening? { nil }

    public func stored(_ change: ProtectionChange) async {}

    public func discarded(_ change: ProtectionChange) async {}
}

/// How a message came, and what proves who wrote it: who may use which key.
public struct ReceivedRoute: Sendable, Hashable {
    public var route: MessageCopy.Route
    /// The archive that the message was read from; `nil` on another route.
    public var archive: JID?
    public var conversation: ConversationAddress
    /// Who wrote it, as far as servers and rooms can be believed.
    public var origin: MessageOrigin
    /// When it was sent, as far as servers and rooms can be believed; `nil` is now.
    public var time: MessageTime?
    /// Whether a server or an archive states the time; otherwise it is that of the clock of this device.
    public var isStamped: Bool

    public init(
        _ route: MessageCopy.Route, archive: JID? = nil, in conversation: ConversationAddress,
        from origin: MessageOrigin, at time: MessageTime? = nil, isStamped: Bool = false
    ) {
        self.time = time
        self.isStamped = isStamped
        self.route = route
        self.archive = archive
        self.conversation = conversation
        self.origin = origin
    }
}

/// A message as it can be read.
public struct OpenedMessage: Sendable {
    public var message: Message
    public var protection: MessageProtection
    /// To be stored with the message.
    public var change: ProtectionChange?
    /// An earlier stanza that could not be opened, of which this is a copy: it says where the message belongs.
    public var original: Message?

    public init(_ message: Message, _ protection: MessageProtection = .none, change: ProtectionChange? = nil) {
        self.message = message
        self.protection = protection
        self.change = change
    }

    /// A message that could not be opened.
    public init(_ message: Message, notOpenedBecauseOf error: ProtectionError) {
        self.init(
            message, .notOpened(scheme: error.scheme, reason: error.code.rawValue), change: error.change)
    }
}

/// A message as it is sent.
public struct SealedMessage: Sendable {
    public var message: Message
    public var protection: MessageProtection
    /// To be stored before the message is written.
    public var change: ProtectionChange?
    /// Devices that will not be able to open it, while others will.
    public var omitted: [ProtectionError.Recipient]

    public init(
        _ message: Message, _ protection: MessageProtection = .none, change: ProtectionChange? = nil,
        omitted: [ProtectionError.Recipient] = []
    ) {
        self.message = message
        self.protection = protection
        self.change = change
        self.omitted = omitted
    }
}

extension OpenedMessage {
    /// What only servers and rooms may say, from the stanza that came, whatever was inside the sealed part: anybody who can seal a message
    /// can write there what he likes.
    ///
    /// These are the addresses, type and `id`, the names that archives gave (XEP-0359), delays (XEP-0203), occupant ids (XEP-0421)
    /// and what rooms say about occupants (XEP-0045).
    public func taking(claimsOf sealed: Message) -> OpenedMessage {
        var opened = self
        opened.message.id = sealed.id
        opened.message.from = sealed.from
        opened.message.to = sealed.to
        opened.message.type = sealed.type
        for name in Self.claims {
            opened.message.payloads.removeAll(named: name)
            for claim in sealed.payloads where claim.isNamed(name) { opened.message.payloads.append(claim) }
        }
        return opened
    }

    private static let claims = [
        StanzaIdentifier.name, DelayedDelivery.name, OccupantIdentifier.name,
        XMLName("x", "http://jabber.org/protocol/muc#user"),
    ]
}
