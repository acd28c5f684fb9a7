internal import MessageSemantics
internal import OMEMO
internal import XMPPAddress

/// A device of an account in one generation.
struct PeerDevice: Hashable, Sendable {
    let generation: OMEMOGeneration
    /// The bare address.
    let address: JID
    let device: OMEMODevice

    /// The end of the names of its records.
    var name: String { "\(generation.rawValue)/\(address)/\(device)" }

    init(generation: OMEMOGeneration, address: JID, device: OMEMODevice) {
        (self.generation, self.address, self.device) = (generation, address, device)
    }

    /// The device with that ``name``.
    init?(named name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let number = UInt8(parts[0]), let generation = OMEMOGeneration(rawValue: number),
            let address = try? JID(String(parts[1])), let device = OMEMODevice(String(parts[2]))
        else { return nil }
        self.init(generation: generation, address: address, device: device)
    }
}

/// An identity key of another account, and the user's trust in it.
struct KnownKey: Sendable, Hashable {
    static let prefix = "omemo/key/"
    private static let version: UInt8 = 1

    /// The X25519 form.
    let key: [UInt8]
    /// The device that had it last.
    var device: OMEMODevice
    var trust: DeviceTrust
    /// In seconds since 1970.
    var firstSeen: Int64
    /// When a message of it was opened last.
    var lastSeen: Int64
    /// What says that the key belongs to the account.
    var claim = Claim.announced

    /// What says that a key belongs to an account; a better claim is greater.
    enum Claim: UInt8, Sendable, Comparable {
        /// A bundle, which can repeat the key of any other account.
        case announced = 0
        /// Messages were decrypted with it that name no author.
        case used = 2
        /// An envelope that was encrypted with the key has named the account (XEP-0420 §4).
        case named = 3

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    static func name(_ fingerprint: String, of address: JID) -> String { prefix(address) + fingerprint }
    static func prefix(_ address: JID) -> String { "\(prefix)\(address)/" }
    /// The index by fingerprint: the accounts at which a key was seen.
    static let ownerPrefix = "omemo/owner/"
    static func ownerPrefix(_ fingerprint: String) -> String { "\(ownerPrefix)\(fingerprint)/" }

    /// The account in the name of a record.
    static func address(inName name: String) -> JID? {
        guard name.hasPrefix(prefix) else { return nil }
        return try? JID(String(name.dropFirst(prefix.count).prefix { $0 != "/" }))
    }

    init(_ key: IdentityKey, _ device: OMEMODevice, trust: DeviceTrust, now: Int64) {
        self.key = key.x25519
        (self.device, self.trust, firstSeen, lastSeen) = (device, trust, now, now)
    }

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        var reader = try RecordReader(bytes, version: Self.version)
        key = try reader.field()
        guard let device = OMEMODevice(try reader.number()),
            let trust = DeviceTrust(rawValue: String(decoding: try reader.field(), as: UTF8.self))
        else { throw .damagedRecord }
        (self.device, self.trust) = (device, trust)
        (firstSeen, lastSeen) = (try reader.time(), try reader.time())
        // Earlier versions wrote 1 for a key that an envelope has named.
        let number = try reader.byte()
        guard let claim = number == 1 ? .named : Claim(rawValue: number) else { throw .damagedRecord }
        self.claim = claim
        try reader.end()
    }

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(key)
        writer.write(device.number)
        writer.write(Array(trust.rawValue.utf8))
        writer.write(firstSeen)
        writer.write(lastSeen)
        writer.write(claim.rawValue)
        return writer.bytes
    }
}

/// An empty message that a device waits for, and the repairs of its session so far.
struct OwedMessage: Sendable {
    enum Kind: UInt8, Sendable {
        case none = 0
        /// A key exchange, or a long chain, is answered (XEP-0384 §6).
        case answer = 1
        /// A new session replaces one that does not work any more.
        case repair = 2
    }

    static let prefix = "omemo/owed/"
    private static let version: UInt8 = 2
    /// The maximum number of waiting devices: far more than have problems at the same time without an attack.
    static let limit = 256
    /// New sessions with one device in ``repairPeriod``.
    private static let repairLimit = 3
    /// One day, in seconds.
    private static let repairPeriod: Int64 = 86_400

    var kind = Kind.none
    /// The room in which the device has written, if its account is no contact: the message is sent if the account is a
    /// member of the room.
    var room: JID?
    /// When sessions were repaired, in seconds since 1970.
    private var repairs: [Int64] = []

    static func name(_ device: PeerDevice) -> String { prefix + device.name }

    init() {}

    /// Whether one more new session may be made.
    func mayRepair(now: Int64) -> Bool {
        repairs.count { now - $0 < Self.repairPeriod && $0 <= now } < Self.repairLimit
    }

    /// Whether there is nothing to send, and nothing that limits later repairs.
    func isOver(now: Int64) -> Bool { kind == .none && repairs.allSatisfy { now - $0 >= Self.repairPeriod } }

    /// Records that an empty message of this kind was sent, or cannot be. A repair that became necessary while an answer
    /// was sent is still owed.
    mutating func settle(_ settled: Kind, isSent: Bool, now: Int64) {
        guard kind == settled else { return }
        if kind == .repair, isSent { repaired(now: now) }
        kind = .none
    }

    mutating func repaired(now: Int64) {
        repairs.removeAll { now - $0 >= Self.repairPeriod || $0 > now }
        repairs.append(now)
        kind = .none
    }

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        // Version 1 had no room.
        let version = bytes.first == 1 ? 1 : Self.version
        var reader = try RecordReader(bytes, version: version)
        kind = Kind(rawValue: try reader.byte()) ?? .none
        for _ in 0..<(try reader.byte()) { repairs.append(try reader.time()) }
        if version > 1 { room = try? JID(String(decoding: try reader.field(), as: UTF8.self)) }
        try reader.end()
    }

    /// `nil` if there is nothing to remember.
    var record: [UInt8]? {
        if kind == .none, repairs.isEmpty { return nil }
        var writer = RecordWriter(version: Self.version)
        writer.write(kind.rawValue)
        writer.write(UInt8(repairs.count))
        for repair in repairs { writer.write(repair) }
        writer.write(Array((room?.description ?? "").utf8))
        return writer.bytes
    }

    /// The device in the name of a record.
    static func device(named name: String) -> PeerDevice? {
        name.hasPrefix(prefix) ? PeerDevice(named: String(name.dropFirst(prefix.count))) : nil
    }
}

/// An account that has sent an encrypted message, and that is neither a contact nor one to which the person has
/// written. Their number is bounded: anybody can send such messages.
struct StrangerRecord {
    static let prefix = "omemo/stranger/"
    private static let version: UInt8 = 1

    /// When its first message was opened, in seconds since 1970.
    let firstSeen: Int64

    static func name(_ address: JID) -> String { "\(prefix)\(address)" }

    init(now: Int64) { firstSeen = now }

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        var reader = try RecordReader(bytes, version: Self.version)
        firstSeen = try reader.time()
        try reader.end()
    }

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(firstSeen)
        return writer.bytes
    }
}
