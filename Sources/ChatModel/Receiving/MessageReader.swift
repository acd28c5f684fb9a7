public import ChatStore
internal import GroupChat
internal import MessageFeatures
public import XMPPAddress
public import XMPPStanzas

/// Reads message stanzas of one account: what they mean, to which conversation they belong, and which of their claims are
/// to be believed.
///
/// It has no state and asks nobody. Carbons and archive results are unwrapped before, by whoever can check where they come from.
public struct MessageReader: Sendable {
    /// How a stanza came.
    public struct Arrival: Sendable {
        public var route: MessageCopy.Route
        /// The time if the stanza itself does not say a better one.
        public var time: MessageTime
        public var timeSource: TimeSource

        public init(_ route: MessageCopy.Route, time: MessageTime, timeSource: TimeSource = .clock) {
            self.route = route
            self.time = time
            self.timeSource = timeSource
        }
    }

    let account: AccountID
    /// The account's bare address.
    let address: JID
    /// Who this account is in the rooms that it knows.
    let places: [JID: RoomPlace]
    /// The hashes of contents that came inside messages and are in the cache.
    var keptContents: Set<String> = []

    public init(account: AccountID, address: JID, places: [JID: RoomPlace] = [:]) {
        self.account = account
        self.address = address.bare
        self.places = places
    }

    /// What the stanza means; nothing for one that is not for the eyes of a person, such as a typing notification.
    public func read(_ message: Message, _ arrival: Arrival) -> [ReceivedMeaning] {
        // A stanza without `from` comes from the own account (RFC 6121 §8.1.2.1).
        let sender = message.from ?? address
        if let place = places[sender.bare] {
            if message.type == .groupchat || sender.isBare { return readInRoom(message, arrival, sender, place) }
            if message.isError { return refusal(message, from: sender) }
        }
        // A room that this account does not know has nothing to say.
        guard message.type != .groupchat else { return [] }
        let isOutgoing = sender.bare == address
        let peer = isOutgoing ? (message.to ?? address) : sender
        let isPrivate = places[peer.bare] != nil && !peer.isBare
        let key = ConversationKey(account: account, address: peer, kind: isPrivate ? .occupant : .direct)
        if message.isError { return refusal(message, from: sender) }
        if let receipt = (try? message.payload(DeliveryReceipt.self)) ?? nil {
            // Whoever gives a receipt to somebody else says nothing about a message of ours.
            if isOutgoing { return [] }
            return [.report(StateReport(.delivered, target: .sent(id: receipt.messageID), sender: sender), in: key)]
        }
        if let marker = message.displayedMarker {
            let target = TargetReference.sent(id: marker.messageID)
            if isOutgoing { return [.read(target, in: key)] }
            return [.report(StateReport(.displayed, target: target, sender: sender), in: key)]
        }
        // What a room says of an invitation, with addresses, is for programs that know nothing of it; here it is asked about.
        let room = (try? message.payload(RoomUser.self)) ?? nil
        if sender.isBare, room?.invitations.isEmpty == false { return [] }
        guard let content = content(of: message, room: nil) else { return [] }
        let (time, source) = time(of: message, arrival, believing: [address, address.domainJID])
        return [
            .message(
                MessageCopy(
                    route: arrival.route, sender: sender, isOutgoing: isOutgoing, wireID: message.id,
                    originID: ((try? message.payload(OriginIdentifier.self)) ?? nil)?.id,
                    // Only the own account's archive names what belongs to this conversation (XEP-0359 §6).
                    archiveReferences: archiveReferences(of: message, by: address), time: time, timeSource: source,
                    firstSent: timeOfFirstSending(of: message, by: sender), content: content), in: key)
        ]
    }

    /// Our message came back.
    private func refusal(_ message: Message, from sender: JID) -> [ReceivedMeaning] {
        guard let id = message.id, let error = message.error, sender.bare != address else { return [] }
        var kind = ConversationKey.Kind.direct
        if places[sender.bare] != nil { kind = sender.isBare ? .room : .occupant }
        // A room that has lost us refuses everything (XEP-0045 §7.4); it is entered again, and the message is sent again.
        if kind == .room, error.condition == .notAcceptable { return [] }
        // The connection of a device ended before it had said that it has the message, which waits in the archive all the same:
        // servers answer so for a device whose connection was not resumed. Nothing is known then but that the message was at
        // the server. Where its receipt stays out, it is sent once more.
        if kind == .direct, error.condition == .recipientUnavailable { return [] }
        let key = ConversationKey(account: account, address: sender, kind: kind)
        let report = StateReport.Kind.refused(condition: error.condition.rawValue, text: error.text.best(for: []))
        // A server answers in the name of who does not exist, so the sender is who the message was for.
        return [.report(StateReport(report, target: .sent(id: id), sender: sender), in: key)]
    }

    private func readInRoom(
        _ message: Message, _ arrival: Arrival, _ sender: JID, _ place: RoomPlace
    ) -> [ReceivedMeaning] {
        if message.isError { return refusal(message, from: sender) }
        guard message.type == .groupchat else { return [] }
        let room = sender.bare
        let key = ConversationKey(account: account, address: room, kind: .room)
        // A room that has given us a lasting name gives one to everybody; elsewhere anybody could claim any.
        let occupantID =
            place.occupantID == nil ? nil : ((try? message.payload(OccupantIdentifier.self)) ?? nil)?.id
        let isOutgoing =
            if let occupantID, let own = place.occupantID {
                occupantID == own
            } else {
                sender.resource == place.nickname
            }
        if let marker = message.displayedMarker {
            guard isOutgoing else { return [] }
            return [.read(.archived(ArchiveReference(archive: room, id: marker.messageID)), in: key)]
        }
        guard let content = content(of: message, room: room) else { return [] }
        let (time, source) = time(of: message, arrival, believing: [room])
        return [
            .message(
                MessageCopy(
                    route: isOutgoing && arrival.route == .live ? .reflection : arrival.route, sender: sender,
                    occupantID: occupantID, isOutgoing: isOutgoing, wireID: message.id,
                    originID: ((try? message.payload(OriginIdentifier.self)) ?? nil)?.id,
                    archiveReferences: archiveReferences(of: message, by: room), time: time, timeSource: source,
                    content: content), in: key)
        ]
    }

    private func archiveReferences(of message: Message, by archive: JID) -> [ArchiveReference] {
        message.archiveID(assignedBy: archive).map { [ArchiveReference(archive: archive, id: $0)] } ?? []
    }

    /// A delay is believed from the own server, the own account and the room (XEP-0203 §5), and never in the future.
    private func time(
        of message: Message, _ arrival: Arrival, believing stampers: [JID]
    ) -> (MessageTime, TimeSource) {
        guard arrival.timeSource == .clock,
            let delay = delays(of: message).first(where: { $0.from.map { stampers.contains($0.bare) } ?? true })
        else { return (arrival.time, arrival.timeSource) }
        let stamp = MessageTime(millisecondsSince1970: delay.stamp.millisecondsSince1970)
        return stamp < arrival.time ? (stamp, .delay) : (arrival.time, .clock)
    }

    /// Who has sent a message again says when it was sent first (XEP-0198 §6).
    private func timeOfFirstSending(of message: Message, by sender: JID) -> MessageTime? {
        delays(of: message).first { $0.from?.bare == sender.bare }
            .map { MessageTime(millisecondsSince1970: $0.stamp.millisecondsSince1970) }
    }

    /// The sender's, and those of servers on the way.
    private func delays(of message: Message) -> [DelayedDelivery] {
        (try? message.payloads.decodeAll(DelayedDelivery.self)) ?? []
    }
}
