public import XMPPAddress
public import XMPPStanzas

/// The other side of a conversation, operated by a test: an account of a ``MemoryServer`` without a session.
///
///     let alice = try await server.peer("alice")
///     await alice.send(.chat(to: bot, body: "Honk"))
///     #expect(await alice.message()?.body == "Honk")
public struct ScriptedPeer: Sendable {
    /// The full address from which its stanzas are sent.
    public let address: JID
    let server: MemoryServer

    var name: String { address.local ?? "" }

    /// Sends a message to its receiver, an account or a resource.
    public func send(_ message: Message) async { await server.send(.message(message), from: self) }

    /// Sends a presence to its receiver, for example a subscription request.
    public func send(_ presence: Presence) async { await server.send(.presence(presence), from: self) }

    /// Sends a request or a response to its receiver.
    public func send(_ iq: IQ) async { await server.send(.iq(iq), from: self) }

    /// Answers every stanza from now on by this rule; the sender is filled in. ``next()`` returns the stanzas
    /// nevertheless.
    public func answer(_ rule: @escaping @Sendable (AnyStanza) -> [AnyStanza]) async {
        await server.setRule(rule, of: self)
    }

    /// The next stanza that was sent to it, each once; waits for one, and is `nil` if the task is cancelled.
    public func next() async -> AnyStanza? { await server.nextStanza(for: self) }

    /// The next message that was sent to it; other stanzas before it are skipped.
    public func message() async -> Message? {
        while let stanza = await next() {
            if case .message(let message) = stanza { return message }
        }
        return nil
    }
}

/// The received stanzas of a peer and its rules for answers.
struct PeerInbox {
    let address: JID
    var stanzas: [AnyStanza] = []
    var rule: (@Sendable (AnyStanza) -> [AnyStanza])?

    mutating func take() -> AnyStanza? { stanzas.isEmpty ? nil : stanzas.removeFirst() }
}
