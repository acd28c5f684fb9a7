public import XMLStreaming

/// The public keys of a device with which others start sessions (XEP-0384 §5.3.2).
///
/// ```
/// C: <bundle xmlns='urn:xmpp:omemo:2'>
///      <spk id='1'>b64</spk><spks>b64</spks><ik>b64</ik>
///      <prekeys><pk id='1'>b64</pk></prekeys>
///    </bundle>
/// ```
public struct OMEMOBundle: XMLEncodable, XMLDecodable, Hashable {
    /// A one-time key.
    public struct PreKey: Sendable, Hashable {
        public var id: UInt32
        /// 32 bytes.
        public var key: [UInt8]

        public init(id: UInt32, key: [UInt8]) { (self.id, self.key) = (id, key) }
    }

    public let generation: OMEMOGeneration
    /// The identity key as the generation writes it.
    let identityKey: [UInt8]
    public let signedPreKeyID: UInt32
    let signedPreKey: [UInt8]
    let signature: [UInt8]
    public let preKeys: [PreKey]

    /// The bundle of this device.
    public init(
        _ generation: OMEMOGeneration, identity: IdentityKeyPair, signedPreKey: SignedPreKeyPair,
        preKeys: [PreKeyPair], using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) {
        self.generation = generation
        identityKey = identity.publicKey.bytes(of: generation)
        signedPreKeyID = signedPreKey.pair.id
        self.signedPreKey = signedPreKey.pair.publicKey
        signature = try signedPreKey.signature(by: identity, for: generation, using: cryptography)
        self.preKeys = preKeys.map { PreKey(id: $0.id, key: $0.publicKey) }
    }

    /// The bundle, if its signature is valid and it has at least one one-time key.
    public func verified(using cryptography: any OMEMOCryptography) throws(OMEMOError) -> VerifiedBundle {
        let identity = try IdentityKey(identityKey, of: generation, using: cryptography)
        guard
            identity.isSignature(
                signature, of: generation.encoded(signedPreKey), generation: generation, using: cryptography)
        else { throw OMEMOError(.invalidSignature) }
        guard !preKeys.isEmpty else { throw OMEMOError(.noPreKeys) }
        return VerifiedBundle(
            generation: generation, identityKey: identity, signedPreKeyID: signedPreKeyID, signedPreKey: signedPreKey,
            preKeys: preKeys)
    }

    private struct Names {
        let bundle, identity, signedKey, signature, preKeys, preKey: XMLName
        let signedKeyID, preKeyID: String

        init(_ generation: OMEMOGeneration) {
            let space = generation.namespace
            bundle = XMLName("bundle", space)
            preKeys = XMLName("prekeys", space)
            switch generation {
            case .legacy:
                identity = XMLName("identityKey", space)
                signedKey = XMLName("signedPreKeyPublic", space)
                signature = XMLName("signedPreKeySignature", space)
                preKey = XMLName("preKeyPublic", space)
                (signedKeyID, preKeyID) = ("signedPreKeyId", "preKeyId")
            case .current:
                identity = XMLName("ik", space)
                signedKey = XMLName("spk", space)
                signature = XMLName("spks", space)
                preKey = XMLName("pk", space)
                (signedKeyID, preKeyID) = ("id", "id")
            }
        }
    }

    /// Reads the bundle of either generation. One-time keys that are malformed or have a repeated id are ignored; more
    /// than ``OMEMOLimits/preKeys`` are refused.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        guard let generation = OMEMOGeneration.allCases.first(where: { element.isNamed(Names($0).bundle) }) else {
            throw XMLDecodingError(element.name, .unexpectedElement)
        }
        self.generation = generation
        let names = Names(generation)
        func bytes(_ element: XMLElement) throws(XMLDecodingError) -> [UInt8] {
            guard let bytes = Base64.decode(ignoringWhitespace: element.text) else {
                throw XMLDecodingError(element.name, .invalidText)
            }
            return bytes
        }
        identityKey = try bytes(element.required(names.identity))
        signature = try bytes(element.required(names.signature))
        guard signature.count == 64, generation.decoded(identityKey) != nil else {
            throw XMLDecodingError(element.name, .invalid("a key or signature of another length"))
        }
        let signed = try element.required(names.signedKey)
        guard let key = generation.decoded(try bytes(signed)) else {
            throw XMLDecodingError(signed.name, .invalidText)
        }
        signedPreKey = key
        guard let id = try signed.value(names.signedKeyID, as: UInt32.self) else {
            throw XMLDecodingError(signed.name, .missingAttribute(names.signedKeyID))
        }
        signedPreKeyID = id
        var preKeys: [PreKey] = []
        var ids: Set<UInt32> = []
        var count = 0
        for child in try element.required(names.preKeys).children(names.preKey) {
            count += 1
            guard count <= OMEMOLimits.preKeys else {
                throw XMLDecodingError(element.name, .invalid("more than \(OMEMOLimits.preKeys) one-time keys"))
            }
            guard let id = child[names.preKeyID].flatMap(UInt32.init),
                let encoded = Base64.decode(ignoringWhitespace: child.text), let key = generation.decoded(encoded),
                ids.insert(id).inserted
            else { continue }
            preKeys.append(PreKey(id: id, key: key))
        }
        self.preKeys = preKeys
    }

    public func encode(to writer: inout XMLWriter) {
        let names = Names(generation)
        writer.element(names.bundle) { writer in
            writer.element(names.signedKey) { writer in
                writer.attribute(names.signedKeyID, String(signedPreKeyID))
                writer.text(Base64.encode(generation.encoded(signedPreKey)))
            }
            writer.element(names.signature, text: Base64.encode(signature))
            writer.element(names.identity, text: Base64.encode(identityKey))
            writer.element(names.preKeys) { writer in
                for preKey in preKeys {
                    writer.element(names.preKey) { writer in
                        writer.attribute(names.preKeyID, String(preKey.id))
                        writer.text(Base64.encode(generation.encoded(preKey.key)))
                    }
                }
            }
        }
    }
}

/// A bundle whose signature was verified: what a session can be started with.
public struct VerifiedBundle: Sendable, Hashable {
    public let generation: OMEMOGeneration
    public let identityKey: IdentityKey
    public let signedPreKeyID: UInt32
    let signedPreKey: [UInt8]
    let preKeys: [OMEMOBundle.PreKey]

    /// The ids of the one-time keys.
    public var preKeyIDs: [UInt32] { preKeys.map(\.id) }

    /// One of the one-time keys by chance, so that two devices rarely choose the same (XEP-0384 §5.4).
    func randomPreKey(using cryptography: any OMEMOCryptography) throws(OMEMOError) -> OMEMOBundle.PreKey {
        let number = try cryptography.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return preKeys[Int(number % UInt64(preKeys.count))]
    }
}
