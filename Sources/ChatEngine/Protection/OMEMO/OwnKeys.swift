internal import MessageSemantics
internal import OMEMO

/// The keys of this device, except its identity: what it publishes, and with what others begin sessions.
struct OwnKeys: Sendable {
    static let name = "omemo/self"
    /// The id of an earlier device of this profile whose identity key is gone: it must be removed from the lists.
    static let retiredName = "omemo/retired"
    /// The name of the place where the secret identity key is, as in `IdentitySearch`.
    static let placeName = "omemo/place"
    static let version: UInt8 = 1
    /// The current signed key and the one before (XEP-0384 §5.3.2), which others may still use.
    private static let signedKeyLimit = 2

    var device: OMEMODevice
    /// The public identity key, to notice that the one in the keyring is another.
    let identity: [UInt8]
    /// The number of the last one-time key that was made. Servers know it from the bundle: one that is higher there
    /// shows that these records are from a copy of before.
    var lastPreKey: UInt32
    /// The current one first; there is always one.
    private(set) var signedKeys: [SignedPreKeyPair]
    /// The lists of the account have this device since then; until then its number can be changed.
    var isAnnounced = false

    init(
        _ identity: IdentityKeyPair, device: OMEMODevice, now: Int64, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) {
        self.device = device
        self.identity = identity.publicKey.ed25519
        lastPreKey = 0
        signedKeys = [SignedPreKeyPair(try .random(id: 1, using: cryptography), created: now)]
    }

    /// Replaces the signed key if it is time.
    ///
    /// - Returns: whether it was.
    mutating func rotate(now: Int64, using cryptography: any OMEMOCryptography) throws(OMEMOError) -> Bool {
        guard let current = signedKeys.first, current.isDue(now: now) else { return false }
        try replaceSignedKey(after: current.pair.id, now: now, using: cryptography)
        return true
    }

    /// - Parameter last: the highest number that was ever published.
    mutating func replaceSignedKey(
        after last: UInt32, now: Int64, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) {
        let keys = try PreKeyPair.random(count: 1, after: last, using: cryptography)
        signedKeys = Array(
            (keys.map { SignedPreKeyPair($0, created: now) } + signedKeys).prefix(Self.signedKeyLimit))
    }

    var currentSignedKey: SignedPreKeyPair { signedKeys[0] }

    var lastSignedKey: UInt32 { signedKeys.lazy.map(\.pair.id).max() ?? 0 }

    func signedKey(_ id: UInt32) -> PreKeyPair? { signedKeys.first { $0.pair.id == id }?.pair }

    // MARK: The record

    init(_ bytes: [UInt8], using cryptography: any OMEMOCryptography) throws(ProtectionError) {
        var reader = try RecordReader(bytes, version: Self.version)
        guard let device = OMEMODevice(try reader.number()) else { throw .damagedRecord }
        self.device = device
        identity = try reader.field()
        lastPreKey = try reader.number()
        isAnnounced = try reader.byte() == 1
        signedKeys = []
        for _ in 0..<(try reader.byte()) {
            let (id, created, key) = (try reader.number(), try reader.time(), SecretBytes(try reader.field()))
            guard let pair = try? PreKeyPair(id: id, privateKey: key, using: cryptography) else { throw .damagedRecord }
            signedKeys.append(SignedPreKeyPair(pair, created: created))
        }
        try reader.end()
        guard !signedKeys.isEmpty else { throw .damagedRecord }
    }

    /// The device id in a record that may be damaged behind it.
    static func device(in record: [UInt8]) -> OMEMODevice? {
        var reader = try? RecordReader(record, version: version)
        return (try? reader?.number()).flatMap { OMEMODevice($0) }
    }

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(device.number)
        writer.write(identity)
        writer.write(lastPreKey)
        writer.write(UInt8(isAnnounced ? 1 : 0))
        writer.write(UInt8(signedKeys.count))
        for key in signedKeys {
            writer.write(key.pair.id)
            writer.write(key.created)
            writer.write(key.pair.privateKey.bytes)
        }
        return writer.bytes
    }
}

/// A one-time key of this device.
struct OwnPreKey: Sendable {
    static let prefix = "omemo/prekey/"
    private static let version: UInt8 = 1
    /// Seconds for which a used key stays: others may have taken it from the bundle before it was published without it,
    /// and their first messages may come late, from an archive.
    static let lifetimeAfterUse: Int64 = 2 * 86_400

    /// Used keys that are stored: anybody can use as many as are published again and again.
    static let usedLimit = 1_000

    let pair: PreKeyPair
    /// When it was used first, in seconds since 1970; 0 if it is unused and published.
    var used: Int64 = 0
    /// The sender's keys of the exchanges that have used it, so that none is accepted twice.
    var exchanges: [[UInt8]] = []
    /// The most exchanges of one key: more than chance brings together.
    static let exchangeLimit = 8

    static func name(_ id: UInt32) -> String { prefix + String(id) }

    init(_ pair: PreKeyPair) { self.pair = pair }

    init(_ bytes: [UInt8], using cryptography: any OMEMOCryptography) throws(ProtectionError) {
        var reader = try RecordReader(bytes, version: Self.version)
        let (id, key) = (try reader.number(), SecretBytes(try reader.field()))
        guard let pair = try? PreKeyPair(id: id, privateKey: key, using: cryptography) else { throw .damagedRecord }
        self.pair = pair
        used = try reader.time()
        for _ in 0..<(try reader.byte()) { exchanges.append(try reader.field()) }
        try reader.end()
    }

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(pair.id)
        writer.write(pair.privateKey.bytes)
        writer.write(used)
        writer.write(UInt8(exchanges.count))
        for exchange in exchanges { writer.write(exchange) }
        return writer.bytes
    }
}
