internal import MessagePayloads
internal import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Reads message stanzas of one account: what they mean, to which conversation they belong, and which of their claims are
/// to be believed.
///
/// It has no state and does no I/O. Carbons and archive results are unwrapped before, by the code that can check where they come
/// from, and what is protected end to end is opened before (``ContentProtection``).
public struct MessageReader: Sendable {
    /// How a stanza came.
    public struct Arrival: Sendable {
        public var route: MessageCopy.Route
        /// The time if the stanza itself does not say a better one.
        public var time: MessageTime
        public var timeSource: TimeSource
        /// The stay of the occupant who sends it, in a room that gives no occupant ids.
        public var stay: OccupantStay?
        /// The oldest delay that is believed of a message of others: while a server delivers what it kept, or a room its history.
        /// `nil` believes none.
        public var earliestDelay: MessageTime?

        public init(
            _ route: MessageCopy.Route, time: MessageTime, timeSource: TimeSource = .clock, stay: OccupantStay? = nil,
            earliestDelay: MessageTime? = nil
        ) {
            self.route = route
            self.time = time
            self.timeSource = timeSource
            self.stay = stay
            self.earliestDelay = earliestDelay
        }
    }

    /// The account's bare address.
    let address: JID
    /// Who this account is in the rooms that it knows.
    let places: [JID: RoomPlace]
    /// Names that the account's archive gave are believed.
    let believesOwnArchive: Bool
    /// The SHA-256 of a content that came inside a message, in lower-case hexadecimal digits: the name of the content in a cache.
    let digest: @Sendable ([UInt8]) -> String?
    /// The hashes of contents that came inside messages and are in the cache.
    public var keptContents: Set<String> = []

    /// - Parameters:
    ///   - address: our own address; only its bare form counts.
    ///   - places: who this account is in the rooms that it knows. A message of another room means nothing.
    ///   - believesOwnArchive: the account announces `urn:xmpp:sid:0` or an archive; elsewhere anybody can write a `stanza-id`
    ///     (XEP-0359 §5).
    ///   - digest: SHA-256, for files that come inside messages; without it they have no name.
    public init(
        address: JID, places: [JID: RoomPlace] = [:], believesOwnArchive: Bool = false,
        digest: @escaping @Sendable ([UInt8]) -> String? = { _ in nil }
    ) {
        self.address = address.bare
        self.places = places
        self.believesOwnArchive = believesOwnArchive
        self.digest = digest
    }

    /// The conversation that a message belongs to, whatever it says; `nil` for one of a room that this account does not know.
    public func conversation(of message: Message) -> ConversationAddress? {
        // A stanza without `from` comes from our own account (RFC 6121 §8.1.2.1).
        let sender = message.from ?? address
        if places[sender.bare] != nil, message.type == .groupchat || sender.isBare {
            return ConversationAddress(sender, kind: .room)
        }
        guard message.type != .groupchat else { return nil }
        let peer = sender.bare == address ? (message.to ?? address) : sender
        let isPrivate = places[peer.bare] != nil && !peer.isBare
        return ConversationAddress(peer, kind: isPrivate ? .occupant : .direct)
    }

    /// How a message came and who wrote it, for ``ContentProtection``; `nil` for one that belongs to no conversation.
    ///
    /// - Parameter archive: the archive that it was read from.
    public func route(of message: Message, _ arrival: Arrival, archive: JID? = nil) -> ReceivedRoute? {
        guard !message.isError, let key = conversation(of: message), let origin = origin(of: message, arrival, in: key)
        else { return nil }
        let (time, _) = time(
            of: message, arrival, since: arrival.earliestDelay,
            believing: key.kind == .room ? [key.address] : [address, address.domainJID])
        return ReceivedRoute(arrival.route, archive: archive, in: key, from: origin, at: time)
    }

    /// Who wrote a message; `nil` if nobody can have written it in that conversation.
    private func origin(
        of message: Message, _ arrival: Arrival, in key: ConversationAddress
    ) -> MessageOrigin? {
        let sender = message.from ?? address
        if key.kind == .room {
            guard message.type == .groupchat, let place = places[key.address] else { return nil }
            return MessageOrigin(
                in: .room, sender: sender, occupantID: place.occupantID(in: message), stay: arrival.stay,
                isOutgoing: place.isOwn(message))
        }
        let isOutgoing = sender.bare == address
        let place = key.kind == .occupant && !isOutgoing ? places[key.address.bare] : nil
        return MessageOrigin(
            in: key.kind, sender: sender, occupantID: place?.occupantID(in: message),
            stay: place != nil ? arrival.stay : nil, isOutgoing: isOutgoing)
    }

    /// What a stanza that was never sealed means.
    public func read(_ message: Message, _ arrival: Arrival) -> [MessageMeaning] {
        read(OpenedMessage(message), arrival)
    }

    /// What the stanza means; nothing for one that is not for the eyes of a person, such as a typing notification.
    public func read(_ opened: OpenedMessage, _ arrival: Arrival) -> [MessageMeaning] {
        let message = opened.message
        guard let key = conversation(of: message) else { return [] }
        if message.isError { return refusal(message, from: message.from ?? address) }
        guard let origin = origin(of: message, arrival, in: key) else { return [] }
        if key.kind == .room { return readInRoom(opened, arrival, origin, key) }
        let (sender, isOutgoing) = (origin.sender, origin.isOutgoing)
        if let receipt = (try? message.payload(DeliveryReceipt.self)) ?? nil {
            // Whoever gives a receipt to somebody else says nothing about a message of ours.
            if isOutgoing { return [] }
            let target = TargetReference.sent(id: receipt.messageID)
            return [.report(StateReport(.delivered, target: target, sender: sender, time: arrival.time), in: key)]
        }
        if let marker = message.displayedMarker {
            let target = TargetReference.sent(id: marker.messageID)
            if isOutgoing { return [.read(target, in: key)] }
            return [.report(StateReport(.displayed, target: target, sender: sender, time: arrival.time), in: key)]
        }
        // What a room says of an invitation, with addresses, is for programs that know nothing of it; here it is asked about.
        if sender.isBare, message.payloads.first(Self.roomUser)?.firstChild(Self.invitation) != nil { return [] }
        guard let content = content(of: opened, room: nil) else { return [] }
        // What this account has sent says itself when, on whichever device.
        let earliest = isOutgoing ? MessageTime(millisecondsSince1970: .min) : arrival.earliestDelay
        let (time, source) = time(
            of: message, arrival, since: earliest, believing: [address, address.domainJID])
        return [
            .message(
                MessageCopy(
                    route: arrival.route, sender: sender, occupantID: origin.occupantID, stay: origin.stay,
                    isOutgoing: isOutgoing, wireID: message.repeatableID, originID: Self.originID(of: message),
                    // Only the own account's archive names what belongs to this conversation (XEP-0359 §6).
                    archiveReferences: believesOwnArchive ? archiveReferences(of: message, by: address) : [],
                    time: time, timeSource: source, arrival: arrival.route == .archive ? nil : arrival.time,
                    firstSent: timeOfFirstSending(of: message, by: sender), content: content,
                    protection: opened.protection), in: key)
        ]
    }

    private static let roomUser = XMLName("x", "http://jabber.org/protocol/muc#user")
    private static let invitation = XMLName("invite", roomUser.namespace)

    /// Our message came back.
    private func refusal(_ message: Message, from sender: JID) -> [MessageMeaning] {
        guard let id = message.id, let error = message.error, sender.bare != address else { return [] }
        var kind = ConversationAddress.Kind.direct
        if places[sender.bare] != nil { kind = sender.isBare ? .room : .occupant }
        // A room that has lost us refuses everything (XEP-0045 §7.4); it is entered again, and the message is sent again.
        if kind == .room, error.condition == .notAcceptable { return [] }
        // The connection of a device ended before it had said that it has the message, which waits in the archive all the same:
        // servers answer so for a device whose connection was not resumed. Nothing is known then but that the message was at
        // the server. Where its receipt stays out, it is sent once more.
        if kind == .direct, error.condition == .recipientUnavailable { return [] }
        let key = ConversationAddress(sender, kind: kind)
        let report = StateReport.Kind.refused(condition: error.condition.rawValue, text: error.text.best(for: []))
        // A server answers in the name of who does not exist, so the sender is who the message was for.
        return [.report(StateReport(report, target: .sent(id: id), sender: sender), in: key)]
    }

    private func readInRoom(
        _ opened: OpenedMessage, _ arrival: Arrival, _ origin: MessageOrigin, _ key: ConversationAddress
    ) -> [MessageMeaning] {
        let (message, room, isOutgoing) = (opened.message, key.address, origin.isOutgoing)
        if let marker = message.displayedMarker {
            guard isOutgoing else { return [] }
            return [.read(.archived(ArchiveReference(archive: room, id: marker.messageID)), in: key)]
        }
        guard let content = content(of: opened, room: room) else { return [] }
        let (time, source) = time(of: message, arrival, since: arrival.earliestDelay, believing: [room])
        return [
            .message(
                MessageCopy(
                    route: isOutgoing && arrival.route == .live ? .reflection : arrival.route, sender: origin.sender,
                    occupantID: origin.occupantID, stay: origin.stay, isOutgoing: isOutgoing,
                    wireID: message.repeatableID, originID: Self.originID(of: message),
                    archiveReferences: places[room]?.hasStanzaIDs == true
                        ? archiveReferences(of: message, by: room) : [],
                    time: time, timeSource: source, arrival: arrival.route == .archive ? nil : arrival.time,
                    content: content, protection: opened.protection),
                in: key)
        ]
    }

    /// The identifier that the sender chose (XEP-0359 §3.2), where it is not longer than any answer would repeat.
    private static func originID(of message: Message) -> String? {
        guard let id = ((try? message.payload(OriginIdentifier.self)) ?? nil)?.id,
            id.utf8.count <= Message.repeatedIDBytes
        else { return nil }
        return id
    }

    private func archiveReferences(of message: Message, by archive: JID) -> [ArchiveReference] {
        message.archiveID(assignedBy: archive).map { [ArchiveReference(archive: archive, id: $0)] } ?? []
    }

    /// A delay is believed from the account's server, the account itself and the room (XEP-0203 §5) while they may state one, and never in
    /// the future. Where several say so the latest counts: the others may have been written by the sender.
    ///
    /// - Parameter earliest: older delays are not believed; `nil` believes none.
    private func time(
        of message: Message, _ arrival: Arrival, since earliest: MessageTime?, believing stampers: [JID]
    ) -> (MessageTime, TimeSource) {
        guard arrival.timeSource == .clock, let earliest else { return (arrival.time, arrival.timeSource) }
        let stamps = delays(of: message).filter { delay in delay.from.map { stampers.contains($0.bare) } ?? false }
            .map { MessageTime(millisecondsSince1970: $0.stamp.millisecondsSince1970) }
        guard let stamp = stamps.max(), stamp >= earliest, stamp < arrival.time else { return (arrival.time, .clock) }
        return (stamp, .delay)
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
