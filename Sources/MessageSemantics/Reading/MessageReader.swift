internal import MessagePayloads
internal import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Interprets the message stanzas of one account: what they mean, which conversation they belong to, and which of their
/// claims are trusted.
///
/// It has no state and performs no I/O. Carbons and archive results are unwrapped beforehand by the code that can
/// verify their source, and end-to-end encrypted messages are opened beforehand (``ContentProtection``).
public struct MessageReader: Sendable {
    /// How a stanza arrived.
    public struct Arrival: Sendable {
        public var route: MessageCopy.Route
        /// The time to use if the stanza does not contain a better one.
        public var time: MessageTime
        public var timeSource: TimeSource
        /// The current stay of the occupant who sent it, in a room without occupant ids.
        public var stay: OccupantStay?
        /// The oldest delay that is accepted in messages of others, while a server delivers stored messages or a room
        /// sends its history. `nil` accepts none.
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
    /// The occupancy of this account in each known room.
    let occupancies: [JID: RoomOccupancy]
    /// Whether ids assigned by the archive of the account are trusted.
    let believesOwnArchive: Bool
    /// The SHA-256 of content inside a message, in lower-case hexadecimal digits: its key in the cache.
    let digest: @Sendable ([UInt8]) -> String?
    /// Whether a received thumbnail is a picture that is small in every way; others are not stored.
    let isPreview: @Sendable ([UInt8]) -> Bool
    /// The hashes of content that arrived inside messages and is in the cache.
    public var keptContents: Set<String> = []

    /// - Parameters:
    ///   - address: our own address; only its bare form counts.
    ///   - occupancies: the occupancy of this account in each known room. Messages of other rooms are ignored.
    ///   - believesOwnArchive: whether the account announces `urn:xmpp:sid:0` or an archive; otherwise any sender can
    ///     forge a `stanza-id` (XEP-0359 §5).
    ///   - digest: SHA-256, for files inside messages; without it they have no key.
    ///   - isPreview: whether the bytes of a thumbnail are a picture that is small in every way; without it none is read.
    public init(
        address: JID, occupancies: [JID: RoomOccupancy] = [:], believesOwnArchive: Bool = false,
        digest: @escaping @Sendable ([UInt8]) -> String? = { _ in nil },
        isPreview: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) {
        self.address = address.bare
        self.occupancies = occupancies
        self.believesOwnArchive = believesOwnArchive
        self.digest = digest
        self.isPreview = isPreview
    }

    /// The conversation that a message belongs to, independent of its content; `nil` for a message of an unknown room.
    public func conversation(of message: Message) -> ConversationAddress? {
        // A stanza without `from` was sent by our own account (RFC 6121 §8.1.2.1).
        let sender = message.from ?? address
        if occupancies[sender.bare] != nil, message.type == .groupchat || sender.isBare {
            return ConversationAddress(sender, kind: .room)
        }
        guard message.type != .groupchat else { return nil }
        let peer = sender.bare == address ? (message.to ?? address) : sender
        let isPrivate = occupancies[peer.bare] != nil && !peer.isBare
        return ConversationAddress(peer, kind: isPrivate ? .occupant : .direct)
    }

    /// The route and the author of a message, for ``ContentProtection``; `nil` if the message belongs to no
    /// conversation.
    ///
    /// - Parameter archive: the archive from which the message was read.
    public func route(of message: Message, _ arrival: Arrival, archive: JID? = nil) -> ReceivedRoute? {
        guard !message.isError, let key = conversation(of: message), let origin = origin(of: message, arrival, in: key)
        else { return nil }
        let (time, source) = time(
            of: message, arrival, since: arrival.earliestDelay,
            believing: key.kind == .room ? [key.address] : [address, address.domainJID])
        return ReceivedRoute(
            arrival.route, archive: archive, in: key, from: origin, at: time, isStamped: source != .clock)
    }

    /// The author of a message; `nil` if it is not valid in that conversation.
    private func origin(
        of message: Message, _ arrival: Arrival, in key: ConversationAddress
    ) -> MessageOrigin? {
        let sender = message.from ?? address
        if key.kind == .room {
            guard message.type == .groupchat, let occupancy = occupancies[key.address] else { return nil }
            return MessageOrigin(
                in: .room, sender: sender, occupantID: occupancy.occupantID(in: message), stay: arrival.stay,
                isOutgoing: occupancy.isOwn(message))
        }
        let isOutgoing = sender.bare == address
        let occupancy = key.kind == .occupant && !isOutgoing ? occupancies[key.address.bare] : nil
        return MessageOrigin(
            in: key.kind, sender: sender, occupantID: occupancy?.occupantID(in: message),
            stay: occupancy != nil ? arrival.stay : nil, isOutgoing: isOutgoing)
    }

    /// The meanings of a stanza that was not encrypted.
    public func read(_ message: Message, _ arrival: Arrival) -> [MessageMeaning] {
        read(OpenedMessage(message), arrival)
    }

    /// The meanings of a stanza; none for one without visible content, such as a typing notification.
    public func read(_ opened: OpenedMessage, _ arrival: Arrival) -> [MessageMeaning] {
        let message = opened.message
        guard let key = conversation(of: message) else { return [] }
        if message.isError { return refusal(message, from: message.from ?? address) }
        guard let origin = origin(of: message, arrival, in: key) else { return [] }
        if key.kind == .room { return readInRoom(opened, arrival, origin, key) }
        let (sender, isOutgoing) = (origin.sender, origin.isOutgoing)
        if let receipt = (try? message.payload(DeliveryReceipt.self)) ?? nil {
            // A receipt that this account sent to others does not concern our messages.
            if isOutgoing { return [] }
            let target = TargetReference.sent(id: receipt.messageID)
            return [.report(StateReport(.delivered, target: target, sender: sender, time: arrival.time), in: key)]
        }
        if let marker = message.displayedMarker {
            let target = TargetReference.sent(id: marker.messageID)
            if isOutgoing { return [.read(target, in: key)] }
            return [.report(StateReport(.displayed, target: target, sender: sender, time: arrival.time), in: key)]
        }
        // The text that a room adds to an invitation is for clients that do not support invitations.
        if sender.isBare, message.payloads.first(Self.roomUser)?.firstChild(Self.invitation) != nil { return [] }
        guard let (content, protection) = visible(opened, room: nil) else { return [] }
        // Messages of this account state their time themselves, on every device.
        let earliest = isOutgoing ? MessageTime(millisecondsSince1970: .min) : arrival.earliestDelay
        let (time, source) = time(
            of: message, arrival, since: earliest, believing: [address, address.domainJID])
        return [
            .message(
                MessageCopy(
                    route: arrival.route, sender: sender, occupantID: origin.occupantID, stay: origin.stay,
                    isOutgoing: isOutgoing, wireID: message.repeatableID, originID: Self.originID(of: message),
                    // Only the archive of our own account assigns ids in this conversation (XEP-0359 §6).
                    archiveReferences: believesOwnArchive ? archiveReferences(of: message, by: address) : [],
                    time: time, timeSource: source, arrival: arrival.route == .archive ? nil : arrival.time,
                    firstSent: timeOfFirstSending(of: message, by: sender), content: content,
                    protection: protection), in: key)
        ]
    }

    private static let roomUser = XMLName("x", "http://jabber.org/protocol/muc#user")
    private static let invitation = XMLName("invite", roomUser.namespace)

    /// What the user sees of a message, and how it was protected. A message without a text that nobody here can decrypt is
    /// a message all the same.
    private func visible(_ opened: OpenedMessage, room: JID?) -> (MessageContent, MessageProtection)? {
        if let content = content(of: opened, room: room) { return (content, opened.protection) }
        guard opened.protection == .none, let scheme = opened.message.unsupportedEncryption else { return nil }
        return (
            .text(MessageText("")), .notOpened(scheme: scheme, reason: ProtectionError.Code.notSupported.rawValue)
        )
    }

    /// Our message was returned as an error.
    private func refusal(_ message: Message, from sender: JID) -> [MessageMeaning] {
        guard let id = message.id, let error = message.error, sender.bare != address else { return [] }
        var kind = ConversationAddress.Kind.direct
        if occupancies[sender.bare] != nil { kind = sender.isBare ? .room : .occupant }
        // A room that has dropped us rejects everything (XEP-0045 §7.4). We join it again and resend the message.
        if kind == .room, error.condition == .notAcceptable { return [] }
        // The connection of a device ended before it acknowledged the message, which is nevertheless in the archive:
        // servers answer in this way for a device whose connection was not resumed. We only know that the message
        // reached the server. If no receipt arrives, it is sent once more.
        if kind == .direct, error.condition == .recipientUnavailable { return [] }
        let key = ConversationAddress(sender, kind: kind)
        // `wait` and one of these conditions mean that the room limits the rate (XEP-0500 §5; before it, services chose
        // between the two).
        let isTooFast =
            kind != .direct && error.type == .wait
            && (error.condition == .policyViolation || error.condition == .resourceConstraint)
        let report = StateReport.Kind.refused(
            condition: isTooFast ? StateReport.tooFast : error.condition.rawValue, text: error.text.best(for: []))
        // A server answers on behalf of an address that does not exist, so the sender is the intended receiver of the
        // message.
        return [.report(StateReport(report, target: .sent(id: id), sender: sender), in: key)]
    }

    private func readInRoom(
        _ opened: OpenedMessage, _ arrival: Arrival, _ origin: MessageOrigin, _ key: ConversationAddress
    ) -> [MessageMeaning] {
        let (message, room, isOutgoing) = (opened.message, key.address, origin.isOutgoing)
        if let marker = message.displayedMarker {
            let target = TargetReference.archived(ArchiveReference(archive: room, id: marker.messageID))
            if isOutgoing { return [.read(target, in: key)] }
            // In a room without ids of its own anybody can give any id to a message (XEP-0333 §4.1).
            guard occupancies[room]?.hasStanzaIDs == true, origin.sender.resource != nil else { return [] }
            var report = StateReport(.displayed, target: target, sender: origin.sender, time: arrival.time)
            report.occupantID = origin.occupantID
            return [.report(report, in: key)]
        }
        guard let (content, protection) = visible(opened, room: room) else { return [] }
        let (time, source) = time(of: message, arrival, since: arrival.earliestDelay, believing: [room])
        return [
            .message(
                MessageCopy(
                    route: isOutgoing && arrival.route == .live ? .reflection : arrival.route, sender: origin.sender,
                    occupantID: origin.occupantID, stay: origin.stay, isOutgoing: isOutgoing,
                    wireID: message.repeatableID, originID: Self.originID(of: message),
                    archiveReferences: occupancies[room]?.hasStanzaIDs == true
                        ? archiveReferences(of: message, by: room) : [],
                    time: time, timeSource: source, arrival: arrival.route == .archive ? nil : arrival.time,
                    content: content, protection: protection),
                in: key)
        ]
    }

    /// The identifier that the sender chose (XEP-0359 §3.2), unless it is longer than responses may repeat.
    private static func originID(of message: Message) -> String? {
        guard let id = ((try? message.payload(OriginIdentifier.self)) ?? nil)?.id,
            id.utf8.count <= Message.repeatedIDBytes
        else { return nil }
        return id
    }

    private func archiveReferences(of message: Message, by archive: JID) -> [ArchiveReference] {
        message.archiveID(assignedBy: archive).map { [ArchiveReference(archive: archive, id: $0)] } ?? []
    }

    /// A delay is accepted from the account's server, the account itself and the room (XEP-0203 §5), and never in the
    /// future. If there are several, the latest is used: the others may have been forged by the sender.
    ///
    /// - Parameter earliest: older delays are rejected; `nil` rejects all.
    private func time(
        of message: Message, _ arrival: Arrival, since earliest: MessageTime?, believing stampers: [JID]
    ) -> (MessageTime, TimeSource) {
        guard arrival.timeSource == .clock, let earliest else { return (arrival.time, arrival.timeSource) }
        let stamps = delays(of: message).filter { delay in delay.from.map { stampers.contains($0.bare) } ?? false }
            .map { MessageTime(millisecondsSince1970: $0.stamp.millisecondsSince1970) }
        guard let stamp = stamps.max(), stamp >= earliest, stamp < arrival.time else { return (arrival.time, .clock) }
        return (stamp, .delay)
    }

    /// The time of the first attempt, which the sender states when it sends a message again (XEP-0198 §6).
    private func timeOfFirstSending(of message: Message, by sender: JID) -> MessageTime? {
        delays(of: message).first { $0.from?.bare == sender.bare }
            .map { MessageTime(millisecondsSince1970: $0.stamp.millisecondsSince1970) }
    }

    /// The delays stated by the sender and by servers on the way.
    private func delays(of message: Message) -> [DelayedDelivery] {
        (try? message.payloads.decodeAll(DelayedDelivery.self)) ?? []
    }
}

extension Message {
    /// The encryption of a message without a text that was not opened (XEP-0380), as a namespace; `nil` if nothing for the
    /// user is encrypted in it.
    fileprivate var unsupportedEncryption: String? {
        guard body == nil, let hint = (try? payload(EncryptionHint.self)) ?? nil else { return nil }
        let isCarried = payloads.contains { element in
            guard element.namespace == hint.namespace else { return false }
            // An element of OMEMO without a payload only carries keys (XEP-0384 §4.4).
            return element.firstChild(XMLName("header", element.namespace)) == nil
                || element.firstChild(XMLName("payload", element.namespace)) != nil
        }
        return isCarried ? hint.namespace : nil
    }
}
