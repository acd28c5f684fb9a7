extension OMEMOSession {
    /// The version of the stored form, its first byte.
    private static let formatVersion: UInt8 = 1

    /// The session in bytes, for the store. They contain secret keys.
    public var serialized: [UInt8] {
        var writer = FieldWriter()
        writer.write(1, UInt32(binding.generation.rawValue))
        writer.write(2, binding.local.ed25519)
        writer.write(3, binding.local.x25519)
        writer.write(4, binding.peer.ed25519)
        writer.write(5, binding.peer.x25519)
        writer.write(6, binding.isInitiator ? UInt32(1) : 0)
        writer.write(7, binding.ephemeralKey)
        switch state {
        case .initiated(let initiated):
            writer.write(8, initiated.root.bytes)
            writer.write(9, initiated.sending.serialized)
            writer.write(10, initiated.header.serialized)
        case .established(let established):
            writer.write(8, established.root.bytes)
            writer.write(9, established.sending.serialized)
            writer.write(11, established.receiving.serialized)
            writer.write(12, established.chain.bytes)
            var past = FieldWriter()
            for chain in established.past { past.write(1, chain.serialized) }
            writer.write(13, past.bytes)
        }
        return [Self.formatVersion] + writer.bytes
    }

    /// A stored session. Throws ``OMEMOError/Code/unknownFormat(_:)`` or ``OMEMOError/Code/damagedState``.
    public init(serialized bytes: [UInt8]) throws(OMEMOError) {
        guard let version = bytes.first else { throw OMEMOError(.damagedState) }
        guard version == Self.formatVersion else { throw OMEMOError(.unknownFormat(version)) }
        do {
            let fields = try Fields(bytes[1...], known: 1...13)
            guard let number = UInt8(exactly: try fields.counter(1)), let generation = OMEMOGeneration(rawValue: number)
            else { throw OMEMOError(.damagedState) }
            let binding = Binding(
                generation: generation,
                local: IdentityKey(stored: try fields.key(2), try fields.key(3)),
                peer: IdentityKey(stored: try fields.key(4), try fields.key(5)),
                isInitiator: try fields.counter(6) == 1, ephemeralKey: try fields.key(7))
            let root = SecretBytes(try fields.key(8))
            let sending = try SendingChain(serialized: try fields.bytes(9))
            if let header = try fields.optionalBytes(10) {
                guard binding.isInitiator else { throw OMEMOError(.damagedState) }
                let initiated = Initiated(
                    header: try KeyExchangeHeader(serialized: header), root: root, sending: sending)
                self.init(binding, .initiated(initiated))
            } else {
                let established = Established(
                    root: root, sending: sending, receiving: try ReceivingChain(serialized: try fields.bytes(11)),
                    chain: SecretBytes(try fields.key(12)), past: try Self.chains(try fields.bytes(13)))
                guard established.skippedKeyCount <= OMEMOLimits.skippedKeys else { throw OMEMOError(.damagedState) }
                self.init(binding, .established(established))
            }
        } catch {
            throw OMEMOError(.damagedState)
        }
    }

    private static func chains(_ bytes: ArraySlice<UInt8>) throws(OMEMOError) -> [ReceivingChain] {
        var chains: [ReceivingChain] = []
        var reader = FieldReader(bytes)
        while let (number, value) = try reader.next() {
            guard number == 1, case .bytes(let bytes) = value else { throw OMEMOError(.damagedState) }
            chains.append(try ReceivingChain(serialized: bytes))
        }
        return chains
    }
}

extension IdentityKey {
    /// A key whose two forms were computed before.
    init(stored ed25519: [UInt8], _ x25519: [UInt8]) { (self.ed25519, self.x25519) = (ed25519, x25519) }
}

extension Fields {
    /// A required field of 32 bytes.
    func key(_ number: Int) throws(OMEMOError) -> [UInt8] {
        let bytes = try bytes(number)
        guard bytes.count == 32 else { throw OMEMOError(.damagedState) }
        return Array(bytes)
    }
}

extension OMEMOSession.SendingChain {
    var serialized: [UInt8] {
        var writer = FieldWriter()
        writer.write(1, privateKey.bytes)
        writer.write(2, publicKey)
        writer.write(3, chain.bytes)
        writer.write(4, counter)
        writer.write(5, previousCount)
        return writer.bytes
    }

    init(serialized bytes: ArraySlice<UInt8>) throws(OMEMOError) {
        let fields = try Fields(bytes, known: 1...5)
        privateKey = SecretBytes(try fields.key(1))
        publicKey = try fields.key(2)
        chain = SecretBytes(try fields.key(3))
        counter = try fields.counter(4)
        previousCount = try fields.counter(5)
    }
}

extension KeyExchangeHeader {
    var serialized: [UInt8] {
        var writer = FieldWriter()
        writer.write(1, preKey)
        writer.write(2, signedPreKey)
        writer.write(3, identityKey)
        writer.write(4, ephemeralKey)
        writer.write(5, registration)
        return writer.bytes
    }

    init(serialized bytes: ArraySlice<UInt8>) throws(OMEMOError) {
        let fields = try Fields(bytes, known: 1...5)
        preKey = try fields.counter(1)
        signedPreKey = try fields.counter(2)
        identityKey = Array(try fields.bytes(3))
        ephemeralKey = try fields.key(4)
        registration = try fields.counter(5)
        guard (32...33).contains(identityKey.count) else { throw OMEMOError(.damagedState) }
    }
}

extension ReceivingChain {
    var serialized: [UInt8] {
        var writer = FieldWriter()
        writer.write(1, ratchetKey)
        writer.write(2, next)
        writer.write(3, discardedBelow)
        writer.write(4, isHeartbeatRequested ? UInt32(1) : 0)
        var entries = FieldWriter()
        for key in skipped {
            var entry = FieldWriter()
            entry.write(1, key.counter)
            entry.write(2, key.key.bytes)
            entry.write(3, UInt64(bitPattern: key.stored))
            entries.write(1, entry.bytes)
        }
        for seen in seen {
            var entry = FieldWriter()
            entry.write(1, seen.counter)
            entry.write(2, seen.code)
            entries.write(2, entry.bytes)
        }
        writer.write(5, entries.bytes)
        if let uncertain { writer.write(6, uncertain) }
        // A session without gaps is as in earlier versions.
        if !gaps.isEmpty {
            var list = FieldWriter()
            for gap in gaps {
                var entry = FieldWriter()
                entry.write(1, gap.first)
                entry.write(2, gap.end)
                entry.write(3, gap.chain.bytes)
                entry.write(4, UInt64(bitPattern: gap.stored))
                list.write(1, entry.bytes)
            }
            writer.write(7, list.bytes)
        }
        return writer.bytes
    }

    init(serialized bytes: ArraySlice<UInt8>) throws(OMEMOError) {
        let fields = try Fields(bytes, known: 1...7)
        ratchetKey = try fields.key(1)
        next = try fields.counter(2)
        discardedBelow = try fields.counter(3)
        isHeartbeatRequested = try fields.counter(4) == 1
        uncertain = try fields.optionalCounter(6)
        var reader = FieldReader(try fields.bytes(5))
        while let (number, value) = try reader.next() {
            guard case .bytes(let bytes) = value else { throw OMEMOError(.damagedState) }
            let entry = try Fields(bytes, known: 1...3)
            let counter = try entry.counter(1)
            guard counter < next else { throw OMEMOError(.damagedState) }
            switch number {
            case 1:
                guard skipped.last.map({ $0.counter < counter }) ?? true else { throw OMEMOError(.damagedState) }
                let stored = Int64(bitPattern: try entry.integer(3))
                skipped.append(SkippedKey(counter: counter, key: SecretBytes(try entry.key(2)), stored: stored))
            case 2:
                guard seen.count < OMEMOLimits.rememberedCodes else { throw OMEMOError(.damagedState) }
                seen.append(Seen(counter: counter, code: Array(try entry.bytes(2))))
            default: throw OMEMOError(.damagedState)
            }
        }
        guard let list = try fields.optionalBytes(7) else { return }
        reader = FieldReader(list)
        while let (number, value) = try reader.next() {
            guard number == 1, case .bytes(let bytes) = value, gaps.count < OMEMOLimits.gaps else {
                throw OMEMOError(.damagedState)
            }
            let entry = try Fields(bytes, known: 1...4)
            let (first, end) = (try entry.counter(1), try entry.counter(2))
            guard first < end, end <= next, end - first <= OMEMOLimits.skippedMessages,
                gaps.last.map({ $0.end <= first }) ?? true
            else { throw OMEMOError(.damagedState) }
            gaps.append(
                Gap(
                    first: first, end: end, chain: SecretBytes(try entry.key(3)),
                    stored: Int64(bitPattern: try entry.integer(4))))
        }
    }
}
