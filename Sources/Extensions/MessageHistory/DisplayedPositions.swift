public import MessageFeatures
internal import PublishSubscribe
internal import ServiceDiscovery
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Synchronises the displayed messages between all devices of the account (XEP-0490 Message Displayed Synchronization).
///
/// Requires the extension `PublishSubscribe`. The list is requested when a session begins; later changes arrive as
/// ``events()``. Only our own account is trusted, and no other account can read the list. A conversation is identified
/// by the bare address of the contact or room, or by the full address of an occupant.
///
///     configuration.add { PublishSubscribe($0) }
///     configuration.add { DisplayedPositions($0) }
///     …
///     try await session[DisplayedPositions.self]?.displayed(StanzaIdentifier(id, by: account), in: contact)
///
/// Positions that could not be published are not retried: when the list is ``DisplayedPositionEvent/populated``,
/// compare it with the positions on this device and publish the newer ones.
public final actor DisplayedPositions: SessionExtension {
    private let session: Session
    private let channel = EventChannel<DisplayedPositionEvent>()
    private var table = DisplayedTable()
    /// The next position to publish per conversation; an entry means that a request is pending.
    private var waiting: [JID: StanzaIdentifier] = [:]
    private var publishing: Set<JID> = []

    /// Whether the list is complete.
    public private(set) var isPopulated = false

    public init(_ session: Session) {
        self.session = session
    }

    /// The newest displayed message of each conversation.
    public var all: [JID: StanzaIdentifier] { table.positions }

    /// The changes of the positions from now on.
    public nonisolated func events() -> AsyncStream<DisplayedPositionEvent> { channel.stream() }

    // MARK: Commands

    /// Requests all positions from the server. If this fails, the known ones stay.
    public func fetch() async throws(ClientError) {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        var items: [PublishedItem] = []
        do throws(ClientError) {
            items = try await data.items(of: DisplayedPosition.node).items
        } catch  where error.isItemNotFound {
            // There are no positions yet.
        }
        guard let own = await session.address?.bare else { return }
        post(table.populate(items, own: own))
        isPopulated = true
    }

    /// Publishes to the other devices that a message and all earlier ones have been displayed.
    ///
    /// While a request for the same conversation is pending, this returns at once, and only the newest of the later
    /// positions is published afterwards. A known position is not published.
    ///
    /// - Parameters:
    ///   - message: The id assigned by the room, or otherwise by our server; all devices ignore others.
    ///   - conversation: The bare address of a contact or of a room, or the full address of an occupant.
    public func displayed(_ message: StanzaIdentifier, in conversation: JID) async throws(ClientError) {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        waiting[conversation] = message
        guard publishing.insert(conversation).inserted else { return }
        defer { publishing.remove(conversation) }
        while let next = waiting.removeValue(forKey: conversation) {
            guard table.positions[conversation] != next else { continue }
            do throws(ClientError) {
                try await data.publish(
                    DisplayedPosition(next), id: conversation.description, in: DisplayedPosition.node,
                    configuration: .privateList)
            } catch {
                waiting[conversation] = nil
                throw error
            }
            post(table.move(conversation, to: next))
        }
    }

    /// Informs the sender with a displayed marker (XEP-0333), and the other devices; in a single message if the server
    /// supports that (§4.4).
    ///
    /// ```
    /// C: <message to='romeo@montegue.lit'><displayed xmlns='urn:xmpp:chat-markers:0' id='the-msg-1'/>
    ///      <displayed xmlns='urn:xmpp:mds:displayed:0'>…</displayed></message>
    /// ```
    ///
    /// - Parameter marker: `Message.displayedMarker(for:inRoom:)`; it is sent in any case.
    @discardableResult
    public func displayed(
        _ message: StanzaIdentifier, in conversation: JID, telling marker: Message
    ) async throws(ClientError) -> SendToken {
        // The server uses the recipient as the conversation, and no message must be sent just for this (§4.4.2).
        guard marker.to == conversation, conversation.isBare, !marker.payloads.isEmpty, await isAssisted() else {
            let token = try await session.send(marker)
            try await displayed(message, in: conversation)
            return token
        }
        var marker = marker
        marker.append(DisplayedPosition(message))
        let token = try await session.send(marker)
        post(table.move(conversation, to: message))
        return token
    }

    /// A server without support would pass the position on to the contact (§6).
    private func isAssisted() async -> Bool {
        guard let discovery = session[ServiceDiscovery.self], let own = await session.address?.bare else {
            return false
        }
        let information = try? await discovery.information(of: own)
        return information?.features.contains(DisplayedPosition.assistance) ?? false
    }

    // MARK: Session events

    /// The events are only useful with the extension that reads them.
    public nonisolated var features: [String] {
        session[PublishSubscribe.self] == nil ? [] : [PublishSubscribe.interest(in: DisplayedPosition.node)]
    }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        guard session[PublishSubscribe.self] != nil else { return }
        // In a new process nothing is known, even if the session was resumed.
        if !isResumed || !isPopulated { try await fetch() }
    }

    public nonisolated func run(in session: Session) async {
        guard let data = session[PublishSubscribe.self] else { return }
        for await notice in data.notices() { await noticed(notice) }
    }

    public func sessionEnded(_ session: Session) async {
        channel.finish()
    }

    private func noticed(_ notice: PublishSubscribeNotice) async {
        guard let own = await session.address?.bare else { return }
        post(table.apply(notice, own: own))
    }

    private func post(_ events: [DisplayedPositionEvent]) {
        for event in events { channel.post(event) }
    }

    private static let unavailable = ClientError(
        .invalidConfiguration, "Displayed positions need the extension PublishSubscribe in the configuration.")
}
