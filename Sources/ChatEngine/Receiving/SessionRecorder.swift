public import ChatStore
internal import FileSharing
internal import GroupChat
internal import Media
internal import MessageFeatures
internal import MessageHistory
internal import Synchronization
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas
internal import XMPPStream

/// The known features of the archive of the account.
private final class OwnArchive: Sendable {
    private let state = Mutex(false)

    /// Whether it assigns ids to live messages, and removes forged ones.
    var assignsIdentifiers: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Stores the received stanzas and the state of a session in one transaction (XEP-0198 §5): if the process ends at any
/// point, the stored messages are exactly those that the server will not send again.
///
/// It processes every stanza first, so it trusts nothing that `MessageReader` has not checked.
public struct SessionRecorder: SessionStore {
    let store: any LocalStore
    let account: AccountID
    private let address: JID
    private let now: @Sendable () -> MessageTime
    private let media: MediaCache?
    private let hearing: Hearing?
    private let presences = PresenceRecord()
    let occupancies = RoomOccupancies()
    let people = KnownPeople()
    let offlineDelivery = OfflineDelivery()
    /// Whether the archive of the account assigns ids to live messages (XEP-0359), so that they can be trusted.
    private let ownArchive = OwnArchive()
    let protector: MessageProtector
    /// Passes on what was opened here.
    let openedStanzas = OpenedStanzas()

    /// - Parameters:
    ///   - media: stores files that arrive inside messages.
    ///   - protection: opens received messages.
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
        (protection as? OMEMOProtection)?.parts.context.memory.isAtWork(in: protector)
        self.store = store
        self.account = account
        self.address = address.bare
        self.now = now
    }

    /// Whether the archive ids of live messages are those of the account's archive.
    var believesOwnArchive: Bool { ownArchive.assignsIdentifiers }

    /// The reader with the current occupancies and features.
    var reader: MessageReader {
        MessageReader(
            address: address, occupancies: occupancies.all, believesOwnArchive: believesOwnArchive,
            digest: { ContentHash(of: $0).description }, isPreview: PictureFile.isPreview)
    }

    /// Records the features of the account's archive.
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
                known.append((room, intervals.contains { $0 != .empty }))
            }
            return (
                try reader.session(of: account), known, try reader.contacts(of: account),
                try reader.account(own)?.lastOnline,
                try reader.archiveIntervals(of: own, with: nil, account: account).contains { $0 != .empty }
            )
        }
        people.replaceContacts(contacts)
        // Assumed until they are queried again: an archive that was read assigns ids, and so does a room assign its
        // occupant ids.
        for (room, hasArchive) in known {
            occupancies.set(
                RoomOccupancy(
                    nickname: room.nickname ?? address.local ?? "", occupantID: room.occupantID,
                    hasOccupantIDs: room.occupantID != nil, hasStanzaIDs: hasArchive),
                in: room.address)
        }
        if hasArchive { ownArchive(assignsIdentifiers: true) }
        offlineDelivery.loaded(lastOnline)
        presences.loaded(state?.id)
        return state.map { SavedSession(resumption: $0) }
    }

    /// Stores the files inside messages in the cache before the messages are stored, so that they are also found when
    /// the messages are read again from an archive.
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
        var newOccupancies: [JID: RoomOccupancy] = [:]
        var reader = reader
        var sightings: [PresenceRecord.Sighting] = []
        var (step, opened) = (ProtectionStep(protector), [OpenedStanzas.Replacement]())
        for received in change.received {
            // An unreadable stanza is not a message; the session answers it.
            switch received.stanza {
            case .message(let message)?:
                // A page of an archive is read when it is complete.
                guard !ArchiveResult.isClaimed(by: message) else { continue }
                let carbon = Carbon(in: message, for: address)
                let said = carbon?.message ?? message
                let arrival = arrival(of: said, by: carbon == nil ? .live : .carbon, at: time)
                let content = await step.open(said, by: reader.route(of: said, arrival))
                reader.keptContents = await keepContents(of: CollectionOfOne(content.message))
                meanings += reader.read(content, arrival)
                if carbon == nil, content.protection.isSealed {
                    opened.append(.init(of: message, content.forSession(insteadOf: message)))
                }
            case .presence(let presence)?:
                if let sighting = PresenceRecord.Sighting(presence, own: address, rooms: occupancies.all),
                    presences.admits(sighting, people)
                {
                    sightings.append(sighting)
                }
                if let encryption = protector.protection as? OMEMOProtection {
                    encryption.parts.occupants.presenceReceived(presence)
                }
                guard let (room, occupancy) = occupancies.presenceReceived(presence, at: time) else { continue }
                newOccupancies[room] = occupancy
                reader = self.reader
            case .iq?, nil: continue
            }
        }
        let isAnother = presences.committed(change.resumption?.id)
        // Sightings of presence are only needed if the session can be resumed.
        let seen = change.resumption == nil ? sightings.filter { $0.kind == .request } : sightings
        let isOnline = offlineDelivery.isOnline(at: time)
        let acknowledged = Set(change.acknowledged)
        let (account, resumption, kept, entered) = (account, change.resumption, meanings, newOccupancies)
        let heard = try await step.store(of: account, in: store) { writer throws(StoreError) in
            var heard: [HeardEvent] = []
            for meaning in kept { if let event = try meaning.keep(of: account, in: writer) { heard.append(event) } }
            if isOnline { try writer.noteOnline(account, at: time) }
            for var room in entered.isEmpty ? [] : try writer.rooms(of: account) {
                guard let occupancy = entered[room.address] else { continue }
                room.nickname = occupancy.nickname
                room.occupantID = occupancy.believedOccupantID
                try writer.save(room, of: account)
            }
            if isAnother {
                try writer.removePresences(.available, of: account)
                // In the new session the server repeats the pending requests.
                if resumption != nil { try writer.removePresences(.request, of: account) }
            }
            for sighting in seen { try sighting.keep(of: account, in: writer) }
            if !acknowledged.isEmpty { try writer.acknowledge(acknowledged, of: account) }
            try writer.saveSession(resumption, of: account)
            return heard
        }
        if let hearing { for event in heard { await hearing.report(event) } }
        if !change.received.isEmpty { openedStanzas.stored(opened) }
        if kept.contains(where: \.isOutgoing) { people.wrote() }
    }

    /// Ends a step with meanings that belong to no stanza of the session, and reports them.
    func keep(
        _ meanings: [MessageMeaning], _ step: inout ProtectionStep,
        _ body: @escaping @Sendable (any StoreWriter, AccountID) throws(StoreError) -> Void
    ) async throws(StoreError) {
        let account = account
        let heard = try await step.store(of: account, in: store) { writer throws(StoreError) in
            var heard: [HeardEvent] = []
            for meaning in meanings { if let event = try meaning.keep(of: account, in: writer) { heard.append(event) } }
            try body(writer, account)
            return heard
        }
        if let hearing { for event in heard { await hearing.report(event) } }
    }

    /// The known circumstances of an arriving message, in addition to its content.
    private func arrival(of message: Message, by route: MessageCopy.Route, at time: MessageTime)
        -> MessageReader.Arrival
    {
        let stay = message.from.flatMap { occupancies.stay(of: $0) }
        guard message.type == .groupchat else {
            return .init(route, time: time, stay: stay, earliestDelay: offlineDelivery.earliestDelay(at: time))
        }
        if occupancies.isHistory(message, at: time) {
            return .init(route, time: time, earliestDelay: MessageTime(millisecondsSince1970: .min))
        }
        return .init(route, time: time, stay: stay)
    }
}

extension OpenedMessage {
    /// The message as the extensions of the session see it.
    fileprivate func forSession(insteadOf sealed: Message) -> Message {
        // A copy for another conversation is not confirmed.
        if original != nil,
            message.type != sealed.type || message.from?.bare != sealed.from?.bare
                || message.to?.bare != sealed.to?.bare
        {
            var nothing = sealed
            nothing.payloads = []
            return nothing
        }
        guard protection.isNotOpened else { return message }
        // Without a receipt, the sender's client may encrypt it again and resend it.
        var message = message
        message.payloads.removeAll(named: DeliveryReceiptRequest.name)
        return message
    }
}
