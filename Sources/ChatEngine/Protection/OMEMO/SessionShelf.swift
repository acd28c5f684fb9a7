internal import MessageSemantics
internal import OMEMO
internal import XMPPAddress

/// The sessions with one device, and which messages were encrypted for it. Both sides can begin a session at the same
/// time, so earlier ones stay for a while.
struct SessionShelf: Sendable {
    static let prefix = "omemo/session/"
    private static let version: UInt8 = 2
    /// The session in use and three earlier ones.
    private static let limit = 4

    /// Serialised; the one to send with first.
    private(set) var sessions: [[UInt8]] = []
    /// Of an old copy of the records, in which nothing may be encrypted any more: they only read what was sent before the
    /// other device has noticed that.
    private(set) var retired: [[UInt8]] = []
    /// When the last one was retired, in seconds since 1970.
    private var retirement: Int64 = 0
    var sent = SentMessages()

    static func name(_ device: PeerDevice) -> String { prefix + device.name }
    /// The beginning of the names for all devices of an address.
    static func prefix(_ generation: OMEMOGeneration, _ address: JID) -> String {
        "\(prefix)\(generation.rawValue)/\(address)/"
    }

    init() {}

    /// Puts a session in front.
    mutating func put(_ session: [UInt8], replacing index: Int? = nil) {
        if let index { sessions.remove(at: index) }
        sessions.insert(session, at: 0)
        sessions.removeLast(max(0, sessions.count - Self.limit))
    }

    /// Stores a retired session after it has decrypted a message.
    mutating func putRetired(_ session: [UInt8], replacing index: Int) {
        retired[index] = session
    }

    /// From now on nothing is encrypted in the sessions so far.
    mutating func retire(now: Int64) {
        retirement = max(now, 0)
        retired = Array((sessions + retired).prefix(Self.limit))
        sessions = []
    }

    /// Removes the sessions with a key, and those that cannot be read.
    mutating func removeSessions(with fingerprint: String) {
        func isRemoved(_ session: [UInt8]) -> Bool {
            (try? OMEMOSession(serialized: session).peer.fingerprint) ?? fingerprint == fingerprint
        }
        sessions.removeAll(where: isRemoved)
        retired.removeAll(where: isRemoved)
    }

    /// Discards keys of missing messages that are too old, in sessions in which nothing is received any more.
    ///
    /// - Returns: whether there were any.
    mutating func timePassed(now: Int64) -> Bool {
        var isChanged = false
        if !retired.isEmpty, abs(now - retirement) >= OMEMOLimits.skippedKeyLifetime {
            retired = []
            isChanged = true
        }
        for index in sessions.indices {
            do throws(OMEMOError) {
                var session = try OMEMOSession(serialized: sessions[index])
                let count = session.skippedKeyCount
                guard count > 0 else { continue }
                session.timePassed(now: now)
                guard session.skippedKeyCount < count else { continue }
                sessions[index] = session.serialized
                isChanged = true
            } catch {
                // It is refused when it is used.
            }
        }
        return isChanged
    }

    var isEmpty: Bool { sessions.isEmpty && retired.isEmpty }

    // MARK: The record

    /// Whether a record has a session to encrypt with, without reading it.
    static func canSend(_ record: [UInt8]) -> Bool { record.count > 1 && record[1] > 0 }

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        // Version 1 had neither retired sessions nor sent messages.
        let version = bytes.first == 1 ? 1 : Self.version
        var reader = try RecordReader(bytes, version: version)
        for _ in 0..<(try reader.byte()) { sessions.append(try reader.field()) }
        if version > 1 {
            for _ in 0..<(try reader.byte()) { retired.append(try reader.field()) }
            retirement = try reader.time()
            sent = try SentMessages(try reader.field())
        }
        try reader.end()
    }

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(UInt8(sessions.count))
        for session in sessions { writer.write(session) }
        writer.write(UInt8(retired.count))
        for session in retired { writer.write(session) }
        writer.write(retirement)
        writer.write(sent.bytes)
        return writer.bytes
    }
}

/// The last messages that were encrypted for one identity key: only of these the device with that key gets copies, and a
/// few of each.
struct SentMessages: Sendable, Hashable {
    private struct Entry: Hashable {
        let digest: [UInt8]
        var copies: UInt8 = 0
    }

    /// Messages that are remembered for each device. Who misses more has been away for longer than a repair takes.
    static let limit = 100
    /// Copies of one message for one device: some get lost, because servers do not store them.
    static let copyLimit: UInt8 = 3
    private static let digestByteCount = 8

    /// The X25519 form of the key; empty if there are none.
    private var key: [UInt8] = []
    /// The newest last.
    private var entries: [Entry] = []

    init() {}

    /// A message was encrypted for a key.
    mutating func add(_ id: String, for key: IdentityKey, using cryptography: any OMEMOCryptography) {
        if self.key != key.x25519 { (self.key, entries) = (key.x25519, []) }
        let digest = digest(of: id, cryptography)
        guard !entries.contains(where: { $0.digest == digest }) else { return }
        entries.append(Entry(digest: digest))
        entries.removeFirst(max(0, entries.count - Self.limit))
    }

    /// Whether a device with a key may get a copy of a message.
    func mayCopy(_ id: String, for key: IdentityKey, using cryptography: any OMEMOCryptography) -> Bool {
        guard self.key == key.x25519 else { return false }
        let digest = digest(of: id, cryptography)
        return entries.contains { $0.digest == digest && $0.copies < Self.copyLimit }
    }

    /// A copy is sent.
    mutating func copied(_ id: String, using cryptography: any OMEMOCryptography) {
        let digest = digest(of: id, cryptography)
        guard let index = entries.firstIndex(where: { $0.digest == digest }) else { return }
        entries[index].copies = min(entries[index].copies, Self.copyLimit - 1) + 1
    }

    private func digest(of id: String, _ cryptography: any OMEMOCryptography) -> [UInt8] {
        Array(cryptography.hmac(Array(id.utf8), key: key).prefix(Self.digestByteCount))
    }

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        guard !bytes.isEmpty else { return }
        let (keySize, size) = (32, Self.digestByteCount + 1)
        guard bytes.count >= keySize, (bytes.count - keySize) % size == 0,
            (bytes.count - keySize) / size <= Self.limit
        else { throw .damagedRecord }
        key = Array(bytes[..<keySize])
        for start in stride(from: keySize, to: bytes.count, by: size) {
            let end = start + Self.digestByteCount
            entries.append(Entry(digest: Array(bytes[start..<end]), copies: bytes[end]))
        }
    }

    /// Empty if there is nothing to remember.
    var bytes: [UInt8] {
        entries.isEmpty ? [] : entries.reduce(into: key) { $0 += $1.digest + [$1.copies] }
    }
}
