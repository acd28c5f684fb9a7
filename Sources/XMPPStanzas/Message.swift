public import XMLStreaming
public import XMPPAddress

/// A message: pushed from one entity to another, needs no answer (RFC 6121 §5).
///
///     <message to='romeo@example.net' from='juliet@example.com/balcony' id='ktx72v49' type='chat' xml:lang='en'>
///       <body>Art thou not Romeo, and a Montague?</body>
///     </message>
public struct Message: Stanza {
    /// What kind of conversation a message belongs to (RFC 6121 §5.2.2).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A message outside a conversation, like a letter. Also what a missing or unknown type means.
        case normal
        /// A message of a conversation between two.
        case chat
        /// A message of a room with many occupants.
        case groupchat
        /// A notice to which no answer is expected.
        case headline
        /// A report that an earlier message failed.
        case error

        /// The type of a message; missing and unknown are `normal`.
        init(_ type: XMLAttributeValue, of element: XMLElement) {
            var kind = Kind.normal
            element.withUTF8(type) { bytes in
                if let known = Kind(utf8: bytes) { kind = known }
            }
            self = kind
        }

        private init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
            if bytes.matches("chat") {
                self = .chat
            } else if bytes.matches("groupchat") {
                self = .groupchat
            } else if bytes.matches("normal") {
                self = .normal
            } else if bytes.matches("headline") {
                self = .headline
            } else if bytes.matches("error") {
                self = .error
            } else {
                return nil
            }
        }
    }

    public static let name = XMLName("message", XMPPNamespace.client)

    public var id: String?
    public var to: JID?
    public var from: JID?
    public var language: String?
    public var type: Kind
    public var payloads: Payloads

    public init(
        to: JID? = nil, type: Kind = .normal, id: String? = nil, body: String? = nil, language: String? = nil,
        payloads: Payloads = []
    ) {
        self.id = id
        self.to = to
        self.type = type
        self.language = language
        self.payloads = payloads
        if let body { self.payloads.append(TextElement(name: Self.bodyName, text: body)) }
    }

    /// A message of type `chat`, the kind that a conversation between two is made of.
    public static func chat(to: JID, body: String, id: String? = nil) -> Message {
        Message(to: to, type: .chat, id: id, body: body)
    }

    /// Reads a message. A missing or unknown type is `normal` (RFC 6121 §5.2.2); a bad address is an error.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        var addresses = AddressCache()
        guard Self.isName(of: element) else {
            throw XMLDecodingError(element.name, .unexpectedElement)
        }
        self = try Self.read(element, addresses: &addresses)
    }

    /// Whether the element is called `message`; quicker than a comparison with ``name``.
    static func isName(of element: XMLElement) -> Bool { element.isNamed("message", "jabber:client") }

    /// Reads an element that has this name.
    ///
    /// The parts are complete before the value is made of them, so that they move into it and nothing is copied.
    static func read(_ element: XMLElement, addresses: inout AddressCache) throws(XMLDecodingError) -> Message {
        let attributes = element.stanzaAttributes
        let from = try addresses.address(attributes.from, named: "from", of: element)
        let to = try addresses.address(attributes.to, named: "to", of: element)
        return Message(
            id: element.string(attributes.id), to: to, from: from, language: element.string(attributes.language),
            type: Kind(attributes.type, of: element), payloads: Payloads(of: element))
    }

    private init(id: String?, to: JID?, from: JID?, language: String?, type: Kind, payloads: Payloads) {
        (self.id, self.to, self.from, self.language, self.type, self.payloads) = (
            id, to, from, language, type, payloads
        )
    }

    public func encode(to writer: inout XMLWriter) {
        write(type: type == .normal ? nil : type.rawValue, to: &writer)
    }

    public var isError: Bool { type == .error }
}

extension Message {
    /// Adds a payload that may stand in a message.
    public mutating func append(_ payload: some MessagePayload) {
        payloads.append(payload)
    }

    /// The message with one more payload.
    public func appending(_ payload: some MessagePayload) -> Message {
        var message = self
        message.append(payload)
        return message
    }

    /// The error message that answers this one: addresses swapped, same id, nothing of the content (RFC 6120 §8.3.1).
    ///
    /// `nil` for an error: an error is never answered by an error.
    public func errorReply(_ error: StanzaError) -> Message? {
        guard !isError else { return nil }
        var reply = Message(to: from, type: .error, id: id)
        reply.from = to
        reply.payloads.append(error)
        return reply
    }
}
