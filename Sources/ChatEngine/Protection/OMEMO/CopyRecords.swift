internal import MessageSemantics
internal import OMEMO
internal import XMLStreaming
internal import XMPPAddress
internal import XMPPStanzas

/// A message that could not be decrypted here, of which a copy is requested from the device that has sent it.
struct MissingMessage: Sendable {
    static let prefix = "omemo/missing/"
    private static let version: UInt8 = 1
    /// Messages that are missing at the same time from one device, and from all.
    static let deviceLimit = 100
    static let limit = 1_000
    /// The bytes of a stanza without what is encrypted; usual ones have 500.
    static let stanzaByteCount = 4_096
    /// Seconds in which a copy is requested, and for which the other side answers: programs that run at all do so within a
    /// week.
    static let lifetime: Int64 = 7 * 86_400
    /// The pause after the first request in seconds; it is four times as long after each further one.
    private static let firstPause: Int64 = 3_600
    /// Requests for one message: in the end four days apart.
    private static let requestLimit = 5

    /// The origin-id of the message.
    let id: String
    /// The stanza without what is encrypted, as it came: it says where the message belongs.
    let stanza: Message
    let conversation: ConversationAddress
    /// When it was sent, in seconds since 1970.
    let time: Int64
    private(set) var requests = 0
    private(set) var lastRequest: Int64 = 0

    /// - Returns: `nil` if it is too old or too large.
    init?(_ stanza: Message, _ id: String, in conversation: ConversationAddress, sent time: Int64, now: Int64) {
        guard now - time < Self.lifetime, XMLElement(stanza).byteCount <= Self.stanzaByteCount else { return nil }
        (self.stanza, self.id, self.conversation, self.time) = (stanza, id, conversation, time)
    }

    static func prefix(_ device: PeerDevice) -> String { "\(prefix)\(device.name)/" }
    static func name(_ id: String, of device: PeerDevice) -> String { prefix(device) + id }

    /// The device in the name of a record.
    static func device(named name: String) -> PeerDevice? {
        let parts = name.dropFirst(prefix.count).split(separator: "/", maxSplits: 3)
        guard name.hasPrefix(prefix), parts.count == 4 else { return nil }
        return PeerDevice(named: parts[..<3].joined(separator: "/"))
    }

    /// The message as the device that is asked names it; `nil` if it could not have sent it there.
    func entry(for device: PeerDevice, own address: JID) -> CopyRequest.Entry? {
        switch conversation.kind {
        case .occupant: return nil
        case .room: return .init(id, in: .room(conversation.address.description))
        case .direct:
            let peer = conversation.address.bare
            if peer == device.address { return .init(id, in: .requester) }
            return device.address == address ? .init(id, in: .account(peer.description)) : nil
        }
    }

    func isDue(now: Int64) -> Bool {
        guard requests < Self.requestLimit else { return false }
        guard requests > 0 else { return true }
        // A clock that was set back must not make it wait for ever.
        return now < lastRequest || now - lastRequest >= Self.firstPause << (2 * (requests - 1))
    }

    func isOver(now: Int64) -> Bool { now - time >= Self.lifetime }

    mutating func requested(now: Int64) {
        requests = min(requests + 1, Self.requestLimit)
        lastRequest = now
    }

    // MARK: The record

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        var reader = try RecordReader(bytes, version: Self.version)
        time = try reader.time()
        requests = Int(try reader.byte())
        lastRequest = try reader.time()
        let kind: ConversationAddress.Kind = try reader.byte() == 1 ? .room : .direct
        guard let address = try? JID(String(decoding: try reader.field(), as: UTF8.self)),
            let stanza = try? Message(from: XMLElement(parsing: try reader.field()))
        else { throw .damagedRecord }
        self.stanza = stanza
        conversation = ConversationAddress(address, kind: kind)
        id = String(decoding: try reader.field(), as: UTF8.self)
        try reader.end()
    }

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(time)
        writer.write(UInt8(requests))
        writer.write(lastRequest)
        writer.write(UInt8(conversation.kind == .room ? 1 : 0))
        writer.write(Array(conversation.address.description.utf8))
        writer.write(Array(XMLElement(stanza).description.utf8))
        writer.write(Array(id.utf8))
        return writer.bytes
    }
}

/// The copies that a device has requested from this one.
struct RequestedCopies: Sendable {
    static let prefix = "omemo/copies/"
    private static let version: UInt8 = 1
    /// Devices that wait for copies at the same time.
    static let deviceLimit = 64

    /// The connection of the device: no other device gets them.
    let receiver: JID
    /// When it has asked, in seconds since 1970.
    let time: Int64
    private(set) var entries: [CopyRequest.Entry]

    static func name(_ device: PeerDevice) -> String { prefix + device.name }

    static func device(named name: String) -> PeerDevice? {
        name.hasPrefix(prefix) ? PeerDevice(named: String(name.dropFirst(prefix.count))) : nil
    }

    init(for receiver: JID, _ entries: [CopyRequest.Entry], time: Int64) {
        (self.receiver, self.entries, self.time) = (receiver, entries, time)
    }

    mutating func add(_ others: [CopyRequest.Entry]) {
        for entry in others where !entries.contains(entry) && entries.count < SentMessages.limit {
            entries.append(entry)
        }
    }

    mutating func remove(_ entry: CopyRequest.Entry) { entries.removeAll { $0 == entry } }

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        var reader = try RecordReader(bytes, version: Self.version)
        time = try reader.time()
        guard let receiver = try? JID(String(decoding: try reader.field(), as: UTF8.self)) else { throw .damagedRecord }
        self.receiver = receiver
        entries = []
        for _ in 0..<(try reader.byte()) {
            let id = String(decoding: try reader.field(), as: UTF8.self)
            let kind = try reader.byte()
            let address = String(decoding: try reader.field(), as: UTF8.self)
            let place: CopyRequest.Place = kind == 0 ? .requester : kind == 1 ? .account(address) : .room(address)
            entries.append(CopyRequest.Entry(id, in: place))
        }
        try reader.end()
    }

    /// `nil` if none is left.
    var record: [UInt8]? {
        guard !entries.isEmpty else { return nil }
        var writer = RecordWriter(version: Self.version)
        writer.write(time)
        writer.write(Array(receiver.description.utf8))
        writer.write(UInt8(entries.count))
        for entry in entries {
            writer.write(Array(entry.id.utf8))
            let (kind, address): (UInt8, String) =
                switch entry.place {
                case .requester: (0, "")
                case .account(let address): (1, address)
                case .room(let address): (2, address)
                }
            writer.write(kind)
            writer.write(Array(address.utf8))
        }
        return writer.bytes
    }
}
