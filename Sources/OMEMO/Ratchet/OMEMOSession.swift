/// The encrypted session of this device with one other device: a double ratchet as a machine without I/O.
///
/// A session is made by ``initiate(with:by:device:using:)`` or, from the first message of the other device, by
/// ``accept(_:by:signedPreKey:preKey:now:using:)``. Every event that succeeds changes the state, so the owner must store
/// ``serialized`` in the same transaction as what was sent or received. An event that throws changes nothing.
///
/// The state must never be copied back from a backup: two copies of one ratchet use the same keys for different messages.
/// If that happens, it shows as ``OMEMOError/Code/sessionsDiffer`` here, or as
/// ``OMEMODecryption/isPeerRestored`` at the other side, and a new session is the repair.
public struct OMEMOSession: ~Copyable, Sendable {
    /// Copyable, so that an event that throws leaves the state as it was.
    enum State: Sendable {
        /// This device made the session and the peer has not answered: every message repeats the key exchange.
        case initiated(Initiated)
        /// Both devices have the session. There is no way back.
        case established(Established)
    }

    /// Initiated by this device.
    struct Initiated: Sendable {
        var header: KeyExchangeHeader
        var root: SecretBytes
        var sending: SendingChain
    }

    /// With chains in both directions.
    struct Established: Sendable {
        var root: SecretBytes
        var sending: SendingChain
        var receiving: ReceivingChain
        /// The key of the receiving chain at its next counter.
        var chain: SecretBytes
        /// Earlier chains of the peer, the oldest first: those with missing messages, and the last few.
        var past: [ReceivingChain]
    }

    /// The chain in which this device sends.
    struct SendingChain: Sendable {
        var privateKey: SecretBytes
        var publicKey: [UInt8]
        var chain: SecretBytes
        /// The counter of the next message.
        var counter: UInt32 = 0
        /// How many messages the previous chain had.
        var previousCount: UInt32 = 0
    }

    /// What never changes: to whom the session is bound.
    struct Binding: Sendable, Hashable {
        var generation: OMEMOGeneration
        var local: IdentityKey
        var peer: IdentityKey
        var isInitiator: Bool
        /// The initiator's key of the key exchange, by which a repeated key exchange is recognised.
        var ephemeralKey: [UInt8]

        /// The identity keys that an authentication code covers: in the current generation the initiator's first
        /// (XEP-0384 §4.2), in the legacy one the sender's first.
        func associated(isSending: Bool) -> [UInt8] {
            let isLocalFirst = generation == .legacy ? isSending : isInitiator
            let keys = isLocalFirst ? [local, peer] : [peer, local]
            return keys.flatMap { $0.bytes(of: generation) }
        }
    }

    let binding: Binding
    private(set) var state: State

    init(_ binding: Binding, _ state: State) {
        self.binding = binding
        self.state = state
    }

    public var generation: OMEMOGeneration { binding.generation }

    /// The identity key of the other device.
    public var peer: IdentityKey { binding.peer }

    /// Whether the other device has answered, so that messages need no key exchange any more.
    public var isEstablished: Bool {
        switch state {
        case .initiated: false
        case .established: true
        }
    }

    /// How many messages were sent since the peer's last answer. A long chain should end: see
    /// ``OMEMODecryption/emptyMessageDue``.
    public var sendingCounter: UInt32 {
        switch state {
        case .initiated(let initiated): initiated.sending.counter
        case .established(let established): established.sending.counter
        }
    }

    /// How many keys of missing messages are stored.
    public var skippedKeyCount: Int {
        switch state {
        case .initiated: 0
        case .established(let established): established.skippedKeyCount
        }
    }

    /// Whether `keyExchange` is the one from which the peer and this device made this session: then only the message in
    /// it is new, and ``messageReceived(_:now:using:)`` takes it (XEP-0384 §4.3). Otherwise it asks for a new session.
    public func isMade(by keyExchange: KeyExchangeMessage) -> Bool {
        !binding.isInitiator && keyExchange.generation == binding.generation
            && keyExchange.ephemeralKey == binding.ephemeralKey
            && keyExchange.identityKey == binding.peer.bytes(of: binding.generation)
    }

    // MARK: Sending

    /// Encrypts the key of a message, or 32 zero bytes for an empty one, for this device.
    public mutating func encrypt(
        _ plaintext: [UInt8], using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> OutgoingKey {
        let associated = binding.associated(isSending: true)
        let cipher = MessageCipher(generation: binding.generation, cryptography: cryptography)
        switch state {
        case .initiated(var initiated):
            let message = try initiated.sending.encrypt(plaintext, associated, cipher)
            state = .initiated(initiated)
            return OutgoingKey(bytes: KeyExchangeMessage(initiated.header, message).bytes, isKeyExchange: true)
        case .established(var established):
            let message = try established.sending.encrypt(plaintext, associated, cipher)
            state = .established(established)
            return OutgoingKey(bytes: message.bytes, isKeyExchange: false)
        }
    }

    // MARK: Receiving

    /// Decrypts a message of the other device. `now` is in seconds since 1970.
    public mutating func messageReceived(
        _ message: RatchetMessage, now: Int64, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> OMEMODecryption {
        guard message.generation == binding.generation else { throw OMEMOError(.wrongSession) }
        let associated = binding.associated(isSending: false)
        let cipher = MessageCipher(generation: binding.generation, cryptography: cryptography)
        switch state {
        case .initiated(let initiated):
            let (established, plaintext) = try Established.following(
                initiated.root, initiated.sending, message, associated, now: now, cipher)
            state = .established(established)
            return established.decryption(plaintext)
        case .established(var established):
            let decryption = try established.decrypt(message, associated, now: now, cipher)
            state = .established(established)
            return decryption
        }
    }

    /// Discards keys of missing messages that are older than ``OMEMOLimits/skippedKeyLifetime``. Receiving a message does
    /// it too; the owner calls it for sessions in which nothing is received.
    public mutating func timePassed(now: Int64) {
        switch state {
        case .initiated: break
        case .established(var established):
            established.discardKeys(now: now)
            state = .established(established)
        }
    }
}

/// The content of a `<key/>` element to send.
public struct OutgoingKey: Sendable, Hashable {
    public let bytes: [UInt8]
    /// The attribute `kex`, or in the legacy generation `prekey`.
    public let isKeyExchange: Bool

    public init(bytes: [UInt8], isKeyExchange: Bool) {
        self.bytes = bytes
        self.isKeyExchange = isKeyExchange
    }
}

/// What a received message contained and what is to do now.
public struct OMEMODecryption: Sendable {
    public enum EmptyMessageReason: Sendable, Hashable {
        /// The message made the session: the other device repeats its key exchange until it gets an answer.
        case keyExchange
        /// The other device has sent ``OMEMOLimits/heartbeatCounter`` messages without an answer.
        case longChain
    }

    private let secret: SecretBytes
    /// The plaintext: the key of a message's payload.
    public var plaintext: [UInt8] { secret.bytes }
    /// Why an empty message must be sent to the other device now (XEP-0384 §6); said once.
    public let emptyMessageDue: EmptyMessageReason?
    /// Whether the peer has sent fewer messages than were received: it works with a restored copy of its session.
    public let isPeerRestored: Bool

    init(plaintext: [UInt8], emptyMessageDue: EmptyMessageReason?, isPeerRestored: Bool) {
        secret = SecretBytes(plaintext)
        (self.emptyMessageDue, self.isPeerRestored) = (emptyMessageDue, isPeerRestored)
    }

    /// The same for a session in which nothing may be sent.
    public var withoutAnswer: OMEMODecryption {
        OMEMODecryption(plaintext: plaintext, emptyMessageDue: nil, isPeerRestored: false)
    }
}
