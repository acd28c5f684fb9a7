public import ChatStore
internal import FileSharing
internal import MessageHistory
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas
internal import XMPPStream

/// Keeps what a session receives and how it stands, in one transaction (XEP-0198 §5): whenever the process dies, the
/// messages that are here are exactly those that the server will not send again.
///
/// It sees every stanza before anybody else does, so it believes nothing that ``MessageReader`` has not checked.
public struct SessionRecorder: SessionStore {
    let store: any LocalStore
    let account: AccountID
    private let address: JID
    private let now: @Sendable () -> MessageTime
    private let media: MediaCache?
    private let presences = PresenceRecord()
    let places = RoomPlaces()
    let people = KnownPeople()

    /// - Parameter media: where files that come inside a message are kept.
    public init(
        store: any LocalStore, account: AccountID, address: JID, media: MediaCache? = nil,
        now: @escaping @Sendable () -> MessageTime
    ) {
        self.media = media
        self.store = store
        self.account = account
        self.address = address.bare
        self.now = now
    }

    /// Reads stanzas as they are read at this moment.
    var reader: MessageReader { MessageReader(account: account, address: address, places: places.all) }

    public func loadSession() async throws -> SavedSession? {
        let account = account
        let (state, rooms, contacts) = try await store.read { reader throws(StoreError) in
            (try reader.session(of: account), try reader.rooms(of: account), try reader.contacts(of: account))
        }
        people.replaceContacts(contacts)
        for room in rooms {
            places.set(
                RoomPlace(nickname: room.nickname ?? address.local ?? "", occupantID: room.occupantID),
                in: room.address)
        }
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
        var meanings: [ReceivedMeaning] = []
        var newPlaces: [JID: RoomPlace] = [:]
        var reader = reader
        var sightings: [PresenceRecord.Sighting] = []
        for element in change.received {
            // What cannot be read is no message to anybody; the session answers for it.
            switch (try? AnyStanza(element)) ?? nil {
            case .message(let message)?:
                let carbon = Carbon(in: message, for: address)
                let said = carbon?.message ?? message
                reader.keptContents = await keepContents(of: CollectionOfOne(said))
                meanings += reader.read(said, .init(carbon == nil ? .live : .carbon, time: time))
            case .presence(let presence)?:
                if let sighting = PresenceRecord.Sighting(presence, own: address, rooms: places.all),
                    presences.admits(sighting, people)
                {
                    sightings.append(sighting)
                }
                guard let (room, place) = places.presenceReceived(presence) else { continue }
                newPlaces[room] = place
                reader = self.reader
            case .iq?, nil: continue
            }
        }
        let isAnother = presences.committed(change.resumption?.id)
        // Who was there nobody asks for where the session cannot be resumed.
        let seen = change.resumption == nil ? sightings.filter { $0.kind == .request } : sightings
        let acknowledged = Set(change.acknowledged)
        let (account, resumption, kept, entered) = (account, change.resumption, meanings, newPlaces)
        try await store.write { writer throws(StoreError) in
            for meaning in kept { try meaning.keep(in: writer) }
            for var room in entered.isEmpty ? [] : try writer.rooms(of: account) {
                guard let place = entered[room.address] else { continue }
                room.nickname = place.nickname
                room.occupantID = place.occupantID
                try writer.save(room, of: account)
            }
            if isAnother {
                try writer.removePresences(.available, of: account)
                // In the new session the server repeats who still asks.
                if resumption != nil { try writer.removePresences(.request, of: account) }
            }
            for sighting in seen { try sighting.keep(of: account, in: writer) }
            if !acknowledged.isEmpty { try Self.confirm(acknowledged, of: account, in: writer) }
            try writer.saveSession(resumption, of: account)
        }
        if kept.contains(where: \.isOutgoing) { people.wrote() }
    }

    /// The own server has these. For a message to a room that says nothing: only what the room sends back proves that it was
    /// said there.
    private static func confirm(
        _ ids: Set<String>, of account: AccountID, in writer: any StoreWriter
    ) throws(StoreError) {
        for queued in try writer.sendQueue(of: account) {
            guard let id = queued.message.originID, ids.contains(id),
                try writer.conversation(queued.message.conversation)?.key.kind != .room
            else { continue }
            try writer.advance(queued.message.id, to: .sentToServer)
        }
    }
}
