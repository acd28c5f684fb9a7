public import ChatStore
internal import FileSharing
internal import GroupChat
internal import MessageFeatures
internal import MessageHistory
internal import Synchronization
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas
internal import XMPPStream

/// What is known of the account's archive.
private final class OwnArchive: Sendable {
    private let state = Mutex(false)

    /// It gives names to live messages, and takes away those that others have written.
    var assignsIdentifiers: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Keeps what a session receives and how it stands, in one transaction (XEP-0198 §5): whenever the process dies, the
/// messages that are here are exactly those that the server will not send again.
///
/// It sees every stanza before anybody else does, so it believes nothing that `MessageReader` has not checked.
public struct SessionRecorder: SessionStore {
    let store: any LocalStore
    let account: AccountID
    private let address: JID
    private let now: @Sendable () -> MessageTime
    private let media: MediaCache?
    private let hearing: Hearing?
    private let presences = PresenceRecord()
    let places = RoomPlaces()
    let people = KnownPeople()
    let offlineDelivery = OfflineDelivery()
    /// The account's archive gives names to live messages (XEP-0359), so that they can be believed.
    private let ownArchive = OwnArchive()
    let protector: MessageProtector
    /// Passes on what was read here.
    let received = ReceivedStanzas()

    /// - Parameters:
    ///   - media: where files that come inside a message are kept.
    ///   - protection: opens what came.
    public init(
        store: any LocalStore, account: AccountID, address: JID, media: MediaCache? = nil,
        protection: any ContentProtection = PlainContent(), now: @escaping @Sendable () -> MessageTime
    ) {
        self.init(
            store: store, account: account, address: address, media: media, protection: protection, hearing: nil,
            now: now)
    }

    init(
        store: any LocalStore, account: AccountID, address: JID, media: MediaCache?, protection: any ContentProtection,
        hearing: Hearing?, now: @escaping @Sendable () -> MessageTime
    ) {
        self.media = media
        self.hearing = hearing
        protector = MessageProtector(protection)
        (protection as? OMEMOProtection)?.isAtWork(in: protector)
        self.store = store
        self.account = account
        self.address = address.bare
        self.now = now
    }

    /// Reads stanzas as they are read at this moment.
    var reader: MessageReader {
        MessageReader(
            address: address, places: places.all, believesOwnArchive: ownArchive.assignsIdentifiers,
            digest: { ContentHash(of: $0).description })
    }

    /// What the account's archive has said of itself.
    func ownArchive(assignsIdentifiers isAssigning: Bool) {
        ownArchive.assignsIdentifiers = isAssigning
    }

    public func loadSession() async throws -> SavedSession? {
        let account = account
        let own = address
        let (state, known, contacts, lastOnline, hasArchive) = try await store.read { reader throws(StoreError) in
            var known: [(room: StoredRoom, hasArchive: Bool)] = []
            for room in try reader.rooms(of: account) {
                let intervals = try reader.archiveIntervals(of: room.address, with: nil, account: account)
                known.append((room, !intervals.isEmpty))
            }
            return (
                try reader.session(of: account), known, try reader.contacts(of: account),
                try reader.account(own)?.lastOnline,
                try !reader.archiveIntervals(of: own, with: nil, account: account).isEmpty
            )
        }
        people.replaceContacts(contacts)
        // Until they are asked again: an archive that was read assigns identifiers, and so does a room its occupant ids.
        for (room, hasArchive) in known {
            places.set(
                RoomPlace(
                    nickname: room.nickname ?? address.local ?? "", occupantID: room.occupantID,
                    hasOccupantIDs: room.occupantID != nil, hasStanzaIDs: hasArchive),
                in: room.address)
        }
        if hasArchive { ownArchive(assignsIdentifiers: true) }
        offlineDelivery.loaded(lastOnline)
        presences.loaded(state?.id)
        return state.map { SavedSession(resumption: $0) }
    }

    /// What a message carries inside is in the cache before the message is in the store: read again from an archive, it is
    /// found there as well.
    func keepContents(of messages: some Sequence<Message>) async -> Set<String> {
        guard let media else { return [] }
        var kept: Set<String> = []
        for message in messages {
            guard !message.isError, let offer = (try? FileOffer(in: message)) ?? nil,
                case .content(let bytes) = offer.source, let hash = try? await media.insert(bytes)
            else { continue }
            kept.insert(hash.description)
        }
        return kept
    }

    public func commit(_ change: SessionChange) async throws {
        let time = now()
        var meanings: [MessageMeaning] = []
        var newPlaces: [JID: RoomPlace] = [:]
        var reader = reader
        var sightings: [PresenceRecord.Sighting] = []
        var (step, read) = (ProtectionStep(protector), [Message]())
        for element in change.received {
            // What cannot be read is no message to anybody; the session answers for it.
            switch (try? AnyStanza(element)) ?? nil {
            case .message(var message)?:
                message.payloads.rememberDecoded()
                // A page of an archive is read when it is complete.
                guard !ArchiveResult.isClaimed(by: message) else {
                    read.append(message)
                    continue
                }
                let carbon = Carbon(in: message, for: address)
                let said = carbon?.message ?? message
                let arrival = arrival(of: said, by: carbon == nil ? .live : .carbon, at: time)
                let opened = await step.open(said, by: reader.route(of: said, arrival))
                reader.keptContents = await keepContents(of: CollectionOfOne(opened.message))
                meanings += reader.read(opened, arrival)
                read.append(carbon == nil ? opened.forSession : message)
            case .presence(let presence)?:
                if let sighting = PresenceRecord.Sighting(presence, own: address, rooms: places.all),
                    presences.admits(sighting, people)
                {
                    sightings.append(sighting)
                }
                if let encryption = protector.protection as? OMEMOProtection { encryption.presenceReceived(presence) }
                guard let (room, place) = places.presenceReceived(presence, at: time) else { continue }
                newPlaces[room] = place
                reader = self.reader
            case .iq?, nil: continue
            }
        }
        let isAnother = presences.committed(change.resumption?.id)
        // Who was there nobody asks for where the session cannot be resumed.
        let seen = change.resumption == nil ? sightings.filter { $0.kind == .request } : sightings
        let isOnline = offlineDelivery.isOnline(at: time)
        let acknowledged = Set(change.acknowledged)
        let (account, resumption, kept, entered) = (account, change.resumption, meanings, newPlaces)
        let heard = try await step.store(of: account, in: store) { writer throws(StoreError) in
            var heard: [HeardEvent] = []
            for meaning in kept { if let event = try meaning.keep(of: account, in: writer) { heard.append(event) } }
            if isOnline { try writer.noteOnline(account, at: time) }
            for var room in entered.isEmpty ? [] : try writer.rooms(of: account) {
                guard let place = entered[room.address] else { continue }
                room.nickname = place.nickname
                room.occupantID = place.believedOccupantID
                try writer.save(room, of: account)
            }
            if isAnother {
                try writer.removePresences(.available, of: account)
                // In the new session the server repeats who still asks.
                if resumption != nil { try writer.removePresences(.request, of: account) }
            }
            for sighting in seen { try sighting.keep(of: account, in: writer) }
            if !acknowledged.isEmpty { try writer.acknowledge(acknowledged, of: account) }
            try writer.saveSession(resumption, of: account)
            return heard
        }
        if let hearing { for event in heard { await hearing.tell(event) } }
        if !change.received.isEmpty { received.stored(read) }
        if kept.contains(where: \.isOutgoing) { people.wrote() }
    }

    /// What is known of a message that comes now, beside what it says itself.
    private func arrival(of message: Message, by route: MessageCopy.Route, at time: MessageTime)
        -> MessageReader.Arrival
    {
        let stay = message.from.flatMap { places.stay(of: $0) }
        guard message.type == .groupchat else {
            return .init(route, time: time, stay: stay, earliestDelay: offlineDelivery.earliestDelay(at: time))
        }
        if places.isHistory(message, at: time) {
            return .init(route, time: time, earliestDelay: MessageTime(millisecondsSince1970: .min))
        }
        return .init(route, time: time, stay: stay)
    }
}

extension OpenedMessage {
    /// The message as the extensions of the session see it.
    fileprivate var forSession: Message {
        guard protection.isNotOpened else { return message }
        // Without a receipt, the sender's program may seal it again and resend it.
        var message = message
        message.payloads.removeAll(named: DeliveryReceiptRequest.name)
        return message
    }
}
