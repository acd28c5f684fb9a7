/// The first messages of a session: a key exchange with a message of the ratchet in it.
///
/// Current generation: OMEMOKeyExchange (XEP-0384 §12). Legacy generation: a version byte and fields. It is what a
/// `<key/>` element contains whose attribute `kex`, or in the legacy generation `prekey`, is true.
public struct KeyExchangeMessage: Sendable, Hashable {
    public var generation: OMEMOGeneration { message.generation }
    /// The id of the recipient's one-time key.
    public let preKey: UInt32
    /// The id of the recipient's signed pre-key.
    public let signedPreKey: UInt32
    /// The sender's identity key as its generation writes it.
    let identityKey: [UInt8]
    /// The sender's key that was made for this exchange, 32 bytes.
    public let ephemeralKey: [UInt8]
    /// A number that the legacy generation carries along; programs write the sender's device id.
    let registration: UInt32
    public let message: RatchetMessage

    init(_ header: KeyExchangeHeader, _ message: RatchetMessage) {
        preKey = header.preKey
        signedPreKey = header.signedPreKey
        identityKey = header.identityKey
        ephemeralKey = header.ephemeralKey
        registration = header.registration
        self.message = message
    }

    /// Reads a key exchange. Throws ``OMEMOError/Code/unknownPreKey`` if it uses no one-time key (XEP-0384 §4.2), and what
    /// ``RatchetMessage`` throws.
    public init(_ bytes: [UInt8], generation: OMEMOGeneration) throws(OMEMOError) {
        guard bytes.count <= OMEMOLimits.recipientKeyBytes else { throw OMEMOError(.malformed) }
        let ephemeral: ArraySlice<UInt8>
        let preKey: UInt32?
        switch generation {
        case .legacy:
            guard let version = bytes.first else { throw OMEMOError(.malformed) }
            guard version >> 4 == 3 else { throw OMEMOError(.unsupportedVersion(version)) }
            let fields = try Fields(bytes[1...], known: 1...6)
            preKey = try fields.optionalCounter(1)
            ephemeral = try fields.bytes(2)
            identityKey = Array(try fields.bytes(3))
            message = try RatchetMessage(try fields.bytes(4), generation: generation)
            registration = try fields.optionalCounter(5) ?? 0
            signedPreKey = try fields.counter(6)
        case .current:
            let fields = try Fields(bytes[...], known: 1...5)
            preKey = try fields.optionalCounter(1)
            signedPreKey = try fields.counter(2)
            identityKey = Array(try fields.bytes(3))
            ephemeral = try fields.bytes(4)
            message = try RatchetMessage(try fields.bytes(5), generation: generation)
            registration = 0
        }
        guard let preKey else { throw OMEMOError(.unknownPreKey) }
        self.preKey = preKey
        guard let key = generation.decoded(Array(ephemeral)) else { throw OMEMOError(.invalidKey) }
        ephemeralKey = key
        guard generation.decoded(identityKey) != nil else { throw OMEMOError(.invalidKey) }
    }

    /// The content of a `<key/>` element.
    public var bytes: [UInt8] {
        var writer = FieldWriter()
        switch generation {
        case .legacy:
            writer.write(5, registration)
            writer.write(1, preKey)
            writer.write(6, signedPreKey)
            writer.write(2, generation.encoded(ephemeralKey))
            writer.write(3, identityKey)
            writer.write(4, message.bytes)
            return [RatchetMessage.legacyVersion] + writer.bytes
        case .current:
            writer.write(1, preKey)
            writer.write(2, signedPreKey)
            writer.write(3, identityKey)
            writer.write(4, ephemeralKey)
            writer.write(5, message.bytes)
            return writer.bytes
        }
    }

    /// The sender's identity key, which the session will be bound to. Whether it is trusted is decided by the caller.
    public func identity(using cryptography: any OMEMOCryptography) throws(OMEMOError) -> IdentityKey {
        try IdentityKey(identityKey, of: generation, using: cryptography)
    }
}

/// What a key exchange contains besides the message; the initiator repeats it until the peer has answered.
struct KeyExchangeHeader: Sendable, Hashable {
    var preKey: UInt32
    var signedPreKey: UInt32
    var identityKey: [UInt8]
    var ephemeralKey: [UInt8]
    var registration: UInt32
}

/// The content of a `<key/>` element, read.
public enum IncomingKey: Sendable, Hashable {
    case keyExchange(KeyExchangeMessage)
    case message(RatchetMessage)

    /// Reads the content of a `<key/>` element; `isKeyExchange` is its attribute `kex` or `prekey`.
    public init(_ bytes: [UInt8], isKeyExchange: Bool, generation: OMEMOGeneration) throws(OMEMOError) {
        self =
            isKeyExchange
            ? .keyExchange(try KeyExchangeMessage(bytes, generation: generation))
            : .message(try RatchetMessage(bytes, generation: generation))
    }
}
