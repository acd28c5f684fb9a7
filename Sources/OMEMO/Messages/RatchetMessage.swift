/// One message of the double ratchet: what a `<key/>` element contains once a session is confirmed.
///
/// Current generation: OMEMOAuthenticatedMessage with an OMEMOMessage in it (XEP-0384 §12). Legacy generation: a version
/// byte, the fields in their order there, and the first 8 bytes of the authentication code.
public struct RatchetMessage: Sendable, Hashable {
    public let generation: OMEMOGeneration
    /// The sender's ratchet key, 32 bytes.
    public let ratchetKey: [UInt8]
    /// The position in the sender's chain, from 0.
    public let counter: UInt32
    /// How many messages the sender's previous chain had. Some implementations write one less.
    public let previousCount: UInt32
    public let ciphertext: [UInt8]
    /// The bytes that the authentication code covers, besides the identity keys.
    let covered: [UInt8]
    let code: [UInt8]

    /// The first byte of a legacy message: version 3, from programs that know no higher one.
    static let legacyVersion: UInt8 = 0x33

    /// A message to send; `authenticate` returns the whole code of the covered bytes.
    init(
        _ generation: OMEMOGeneration, ratchetKey: [UInt8], counter: UInt32, previousCount: UInt32,
        ciphertext: [UInt8], authenticate: (_ covered: [UInt8]) -> [UInt8]
    ) {
        self.generation = generation
        self.ratchetKey = ratchetKey
        self.counter = counter
        self.previousCount = previousCount
        self.ciphertext = ciphertext
        var writer = FieldWriter()
        switch generation {
        case .legacy:
            writer.write(1, generation.encoded(ratchetKey))
            writer.write(2, counter)
            writer.write(3, previousCount)
            writer.write(4, ciphertext)
            covered = [Self.legacyVersion] + writer.bytes
        case .current:
            writer.write(1, counter)
            writer.write(2, previousCount)
            writer.write(3, ratchetKey)
            writer.write(4, ciphertext)
            covered = writer.bytes
        }
        code = Array(authenticate(covered).prefix(generation.codeByteCount))
    }

    /// Reads a message. Throws ``OMEMOError/Code/malformed``, ``OMEMOError/Code/unsupportedVersion(_:)``,
    /// ``OMEMOError/Code/counterOutOfRange`` or ``OMEMOError/Code/invalidKey``.
    public init(_ bytes: [UInt8], generation: OMEMOGeneration) throws(OMEMOError) {
        try self.init(bytes[...], generation: generation)
    }

    init(_ bytes: ArraySlice<UInt8>, generation: OMEMOGeneration) throws(OMEMOError) {
        guard bytes.count <= OMEMOLimits.recipientKeyBytes else { throw OMEMOError(.malformed) }
        self.generation = generation
        let fields: Fields
        let key: ArraySlice<UInt8>
        switch generation {
        case .legacy:
            guard let version = bytes.first else { throw OMEMOError(.malformed) }
            guard version >> 4 == 3 else { throw OMEMOError(.unsupportedVersion(version)) }
            guard bytes.count > 1 + generation.codeByteCount else { throw OMEMOError(.malformed) }
            covered = Array(bytes.dropLast(generation.codeByteCount))
            code = Array(bytes.suffix(generation.codeByteCount))
            fields = try Fields(covered[1...], known: 1...4)
            key = try fields.bytes(1)
            counter = try fields.counter(2)
            previousCount = try fields.optionalCounter(3) ?? 0
        case .current:
            let outer = try Fields(bytes, known: 1...2)
            code = Array(try outer.bytes(1))
            covered = Array(try outer.bytes(2))
            guard code.count == generation.codeByteCount else { throw OMEMOError(.malformed) }
            fields = try Fields(covered[...], known: 1...4)
            counter = try fields.counter(1)
            previousCount = try fields.counter(2)
            key = try fields.bytes(3)
        }
        guard let ratchetKey = generation.decoded(Array(key)) else { throw OMEMOError(.invalidKey) }
        self.ratchetKey = ratchetKey
        ciphertext = Array(try fields.bytes(4))
        // Whole blocks of AES; an empty plaintext has one.
        guard !ciphertext.isEmpty, ciphertext.count % 16 == 0 else { throw OMEMOError(.malformed) }
    }

    /// The content of a `<key/>` element.
    public var bytes: [UInt8] {
        switch generation {
        case .legacy: return covered + code
        case .current:
            var writer = FieldWriter()
            writer.write(1, code)
            writer.write(2, covered)
            return writer.bytes
        }
    }
}
