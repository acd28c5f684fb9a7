public import XMPPAddress
public import XMPPStanzas

/// The other end of a conversation, played by a test: an account of a ``MemoryServer`` without a session of its own.
///
///     let alice = try await server.peer("alice")
///     await alice.send(.chat(to: bot, body: "Honk"))
///     #expect(await alice.message()?.body == "Honk")
public struct ScriptedPeer: Sendable {
    /// The full address that its stanzas come from.
    public let address: JID
    let server: MemoryServer

    var name: String { address.local ?? "" }

    /// Sends a message to the account or the resource that it names.
    public func send(_ message: Message) async { await server.send(.message(message), from: self) }

    /// Sends a presence, for example a subscription request, to the address that it names.
    public func send(_ presence: Presence) async { await server.send(.presence(presence), from: self) }

    /// Sends a request or an answer to the resource that it names.
    public func send(_ iq: IQ) async { await server.send(.iq(iq), from: self) }

    /// Answers every stanza that arrives from now on with these; their sender is filled in. ``next()`` gives them all the same.
    public func answer(_ rule: @escaping @Sendable (AnyStanza) -> [AnyStanza]) async {
        await server.setRule(rule, of: self)
    }

    /// The next stanza that was sent to it, each once; waits for one, and is `nil` when the task is cancelled.
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
