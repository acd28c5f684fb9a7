public import XMLStreaming

/// An encrypted message: the payload once, and its key once for each device that may read it (XEP-0384 §5.5).
///
/// ```
/// C: <encrypted xmlns='urn:xmpp:omemo:2'>
///      <header sid='27183'>
///        <keys jid='juliet@capulet.example'><key rid='31415' kex='true'>b64</key></keys>
///      </header>
///      <payload>b64</payload>
///    </encrypted>
/// ```
///
/// Without a payload it is an empty message, which only moves the ratchets on.
public struct OMEMOElement: XMLEncodable, XMLDecodable, Hashable {
    /// The encrypted key for one device.
    public struct RecipientKey: Sendable, Hashable {
        /// The bare address of the device's account. The legacy generation does not write it.
        public var account: String?
        public var device: OMEMODevice
        public var isKeyExchange: Bool
        public var bytes: [UInt8]

        public init(account: String?, device: OMEMODevice, _ key: OutgoingKey) {
            self.account = account
            self.device = device
            isKeyExchange = key.isKeyExchange
            bytes = key.bytes
        }

        init(_ account: String?, _ device: OMEMODevice, _ isKeyExchange: Bool, _ bytes: [UInt8]) {
            (self.account, self.device, self.isKeyExchange, self.bytes) = (account, device, isKeyExchange, bytes)
        }
    }

    public let generation: OMEMOGeneration
    /// The device that encrypted the message.
    public var sender: OMEMODevice
    /// In the order of the element; keys of one account stand together.
    public var keys: [RecipientKey]
    /// The nonce of the payload; only the legacy generation writes one.
    public var nonce: [UInt8]?
    public var payload: [UInt8]?

    public init(
        _ generation: OMEMOGeneration, sender: OMEMODevice, keys: [RecipientKey], nonce: [UInt8]? = nil,
        payload: [UInt8]? = nil
    ) {
        self.generation = generation
        self.sender = sender
        self.keys = keys
        self.nonce = nonce
        self.payload = payload
    }

    /// The name of the element in a generation.
    public static func name(of generation: OMEMOGeneration) -> XMLName {
        XMLName("encrypted", generation.namespace)
    }

    /// The keys for a device. In the current generation at most one; in the legacy one, where accounts are not written,
    /// devices of two accounts may have the same id, and each key has to be tried.
    ///
    /// - Parameter isAccount: whether an address in the element is that of the device's account.
    public func keys(for device: OMEMODevice, where isAccount: (String) -> Bool) -> [RecipientKey] {
        keys.filter { $0.device == device && ($0.account.map(isAccount) ?? true) }
    }

    /// The key of this element, read; see ``IncomingKey``.
    public func read(_ key: RecipientKey) throws(OMEMOError) -> IncomingKey {
        try IncomingKey(key.bytes, isKeyExchange: key.isKeyExchange, generation: generation)
    }

    /// Reads the element of either generation. Keys for an invalid device id are ignored; more than
    /// ``OMEMOLimits/recipientKeys`` are refused.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        guard let generation = OMEMOGeneration.allCases.first(where: { element.isNamed(Self.name(of: $0)) }) else {
            throw XMLDecodingError(element.name, .unexpectedElement)
        }
        self.generation = generation
        let space = generation.namespace
        let header = try element.required(XMLName("header", space))
        let sid = try header.required("sid")
        guard let sender = OMEMODevice(sid) else {
            throw XMLDecodingError(header.name, .invalidAttribute("sid", value: sid))
        }
        self.sender = sender
        keys = []
        nonce = nil
        payload = nil
        switch generation {
        case .legacy:
            try readKeys(of: header, account: nil)
            if let element = header.firstChild(XMLName("iv", space)) {
                guard let bytes = Base64.decode(ignoringWhitespace: element.text),
                    LegacyPayload.nonceByteCounts.contains(bytes.count)
                else { throw XMLDecodingError(element.name, .invalidText) }
                nonce = bytes
            }
        case .current:
            for group in header.children(XMLName("keys", space)) {
                try readKeys(of: group, account: try group.required("jid"))
            }
        }
        if let element = element.firstChild(XMLName("payload", space)) {
            guard let bytes = Base64.decode(ignoringWhitespace: element.text),
                bytes.count <= OMEMOLimits.payloadBytes
            else { throw XMLDecodingError(element.name, .invalidText) }
            payload = bytes
        }
        guard generation == .current || payload == nil || nonce != nil else {
            throw XMLDecodingError(header.name, .missingElement(XMLName("iv", space)))
        }
    }

    private mutating func readKeys(of parent: XMLElement, account: String?) throws(XMLDecodingError) {
        for child in parent.children(XMLName("key", generation.namespace)) {
            guard keys.count < OMEMOLimits.recipientKeys else {
                throw XMLDecodingError(parent.name, .invalid("more than \(OMEMOLimits.recipientKeys) keys"))
            }
            guard let device = OMEMODevice(try child.required("rid")) else { continue }
            guard let bytes = Base64.decode(ignoringWhitespace: child.text), !bytes.isEmpty,
                bytes.count <= OMEMOLimits.recipientKeyBytes
            else { throw XMLDecodingError(child.name, .invalidText) }
            let isKeyExchange = try child.boolean(generation.keyExchangeAttribute) ?? false
            keys.append(RecipientKey(account, device, isKeyExchange, bytes))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        let space = generation.namespace
        writer.element(Self.name(of: generation)) { writer in
            writer.element(XMLName("header", space)) { writer in
                writer.attribute("sid", sender.description)
                switch generation {
                case .legacy:
                    for key in keys { encode(key, to: &writer) }
                    if let nonce { writer.element(XMLName("iv", space), text: Base64.encode(nonce)) }
                case .current:
                    var rest = keys[...]
                    while let account = rest.first?.account {
                        let group = rest.prefix { $0.account == account }
                        rest = rest.dropFirst(group.count)
                        writer.element(XMLName("keys", space)) { writer in
                            writer.attribute("jid", account)
                            for key in group { encode(key, to: &writer) }
                        }
                    }
                }
            }
            if let payload { writer.element(XMLName("payload", space), text: Base64.encode(payload)) }
        }
    }

    private func encode(_ key: RecipientKey, to writer: inout XMLWriter) {
        writer.element(XMLName("key", generation.namespace)) { writer in
            writer.attribute("rid", key.device.description)
            if key.isKeyExchange { writer.attribute(generation.keyExchangeAttribute, "true") }
            writer.text(Base64.encode(key.bytes))
        }
    }
}

extension OMEMOGeneration {
    /// The attribute of a `<key/>` that contains a key exchange.
    fileprivate var keyExchangeAttribute: String { self == .legacy ? "prekey" : "kex" }
}
