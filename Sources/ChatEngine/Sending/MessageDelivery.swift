public import ChatStore
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// What becomes of a message, for a program that waits for it.
extension ChatAccount {
    /// The conversation with an address, see `StoreReader.conversation(with:of:)`.
    public func conversation(with address: JID) async throws(StoreError) -> ConversationKey {
        let id = id
        return try await store.read { reader throws(StoreError) in try reader.conversation(with: address, of: id) }
    }

    /// Saves a message like ``send(_:in:)``.
    ///
    /// - Parameter id: the origin-id (XEP-0359), by which the same message given twice is one.
    public func send(
        _ content: MessageContent, in key: ConversationKey, id: String
    ) async throws(StoreError) -> MessageID {
        try await messages.send(content, in: key, id: id)
    }

    /// Waits until the state of a message is one that is wanted.
    ///
    /// - Returns: the state; `nil` if the message was removed, the task was cancelled or the store was closed.
    public func state(
        of message: MessageID, when isWanted: @Sendable (MessageState) -> Bool
    ) async throws(StoreError) -> MessageState? {
        let changes = store.changes()
        if let state = try await state(of: message), isWanted(state) { return state }
        for await change in changes where change.concerns(message) {
            guard let state = try await state(of: message) else { return nil }
            if isWanted(state) { return state }
        }
        return nil
    }

    private func state(of message: MessageID) async throws(StoreError) -> MessageState? {
        try await store.read { reader throws(StoreError) in try reader.message(message)?.state }
    }

    /// Waits until the server has handled all that was sent before: it answers in the order of what it gets, so an error that a
    /// message causes at once is in the store then.
    public func settle() async throws(ClientError) {
        guard let session = context.session else { throw .notConnected }
        try await session.ping()
    }
}

extension StoreReader {
    /// The conversation with an address: the one that there is, with an occupant of a room, a room, or a person; else with the
    /// room that the account knows, or with a person.
    public func conversation(with address: JID, of account: AccountID) throws(StoreError) -> ConversationKey {
        for kind in [ConversationKey.Kind.occupant, .room, .direct] where kind != .occupant || !address.isBare {
            let key = ConversationKey(account: account, address: address, kind: kind)
            if try conversation(key) != nil { return key }
        }
        let isRoom = try rooms(of: account).contains { $0.address == address.bare }
        return ConversationKey(
            account: account, address: address, kind: !isRoom ? .direct : address.isBare ? .room : .occupant)
    }
}

extension StoreChanges {
    fileprivate func concerns(_ message: MessageID) -> Bool {
        dequeued.contains(message) || messages.values.contains { $0.contains(message) }
    }
}

extension Attachment {
    /// The URL of an attachment whose content goes inside the message (RFC 2392); `nil` without a content on this device.
    ///
    /// It is written by this program and never read from a message.
    public var inlineURL: String? { contentHash.map { "cid:" + $0 } }

    /// The content goes inside the message, and is not uploaded.
    var isInline: Bool { url != nil && url == inlineURL }
}

extension FailureReason {
    /// The condition of a message that has more bytes than the server accepts.
    public static let tooLong = "message-too-long"
    /// The condition of a message because of which the server ended the connection more than once.
    public static let connectionEnded = "connection-ended"

    /// Whether the message would fail in the same way again.
    public var isFinal: Bool { kind == .refused || condition == Self.tooLong }

    /// Why a message could not be sealed: the condition is `not-sealed:` and the code of the error.
    init(_ error: ProtectionError) {
        self.init(.notSent, condition: Self.notSealed + error.code.rawValue, text: nil)
    }

    /// How the condition of a message begins that could not be sealed.
    public static let notSealed = "not-sealed:"

    /// Why a message cannot be sent; `nil` where it can be when the connection is back.
    init?(_ error: ClientError) {
        switch error.code {
        case .stanzaTooLarge: self.init(.notSent, condition: Self.tooLong)
        case .stanzaRefused: self.init(.notSent, condition: Self.connectionEnded)
        default: return nil
        }
    }
}
