public import XMLStreaming
public import XMPPAddress

/// A message: sent from one entity to another without a response (RFC 6121 §5).
///
///     <message to='romeo@example.net' from='juliet@example.com/balcony' id='ktx72v49' type='chat' xml:lang='en'>
///       <body>Art thou not Romeo, and a Montague?</body>
///     </message>
public struct Message: Stanza {
    /// What kind of conversation a message belongs to (RFC 6121 §5.2.2).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A single message outside a conversation. Also the meaning of a missing or unknown type.
        case normal
        /// A message of a one-to-one conversation.
        case chat
        /// A message of a group chat.
        case groupchat
        /// A notice to which no reply is expected.
        case headline
        /// A report that an earlier message failed.
        case error

        /// The type of a message; `normal` if missing or unknown.
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

    private var parts: [StanzaParts]

    public var id: String? {
        get { parts[0].id }
        set { parts[0].id = newValue }
    }
    public var to: JID? {
        get { parts[0].to }
        set { parts[0].to = newValue }
    }
    public var from: JID? {
        get { parts[0].from }
        set { parts[0].from = newValue }
    }
    public var language: String? {
        get { parts[0].language }
        set { parts[0].language = newValue }
    }
    public var type: Kind
    public var payloads: Payloads {
        get { parts[0].payloads }
        // In place, because a copy of the payloads would have to be copied for each change.
        _modify { yield &parts[0].payloads }
    }

    public init(
        to: JID? = nil, type: Kind = .normal, id: String? = nil, body: String? = nil, language: String? = nil,
        payloads: Payloads = []
    ) {
        self.init(id: id, to: to, from: nil, language: language, type: type, payloads: payloads)
        if let body { self.payloads.append(BodyText(text: body)) }
    }

    /// Creates a message of type `chat`, the type of one-to-one conversations.
    public static func chat(to: JID, body: String, id: String? = nil) -> Message {
        Message(to: to, type: .chat, id: id, body: body)
    }

    /// Reads a message. A missing or unknown type is `normal` (RFC 6121 §5.2.2); an invalid address is an error.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        var addresses = AddressCache()
        guard Self.isName(of: element) else {
            throw XMLDecodingError(element.name, .unexpectedElement)
        }
        self = try Self.read(element, addresses: &addresses)
    }

    /// Whether the element is called `message`; faster than a comparison with ``name``.
    static func isName(of element: XMLElement) -> Bool { element.isNamed("message", "jabber:client") }

    /// Reads an element that has this name.
    ///
    /// All parts exist before the value is created from them, so they are moved into it and nothing is copied.
    static func read(_ element: XMLElement, addresses: inout AddressCache) throws(XMLDecodingError) -> Message {
        let attributes = element.stanzaAttributes
        let from = try addresses.address(attributes.from, named: "from", of: element)
        let to = try addresses.address(attributes.to, named: "to", of: element)
        return Message(
            id: element.string(attributes.id), to: to, from: from, language: element.string(attributes.language),
            type: Kind(attributes.type, of: element), payloads: Payloads(of: element))
    }

    private init(id: String?, to: JID?, from: JID?, language: String?, type: Kind, payloads: Payloads) {
        parts = [StanzaParts(id: id, to: to, from: from, language: language, payloads: payloads)]
        self.type = type
    }

    public func encode(to writer: inout XMLWriter) {
        write(type: type == .normal ? nil : type.rawValue, to: &writer)
    }

    public var isError: Bool { type == .error }
}

extension Message {
    /// Appends a payload that a message may contain.
    public mutating func append(_ payload: some MessagePayload) {
        payloads.append(payload)
    }

    /// The message with one more payload.
    public func appending(_ payload: some MessagePayload) -> Message {
        var message = self
        message.append(payload)
        return message
    }

    /// The error response to this message: addresses swapped, same id, without the content (RFC 6120 §8.3.1).
    ///
    /// `nil` for an error: an error never gets an error response.
    public func errorReply(_ error: StanzaError) -> Message? {
        guard !isError else { return nil }
        var reply = Message(to: from, type: .error, id: id)
        reply.from = to
        reply.payloads.append(error)
        return reply
    }
}

extension Message {
    /// The thread of a message (RFC 6121 §5.2.5): an opaque identifier and optionally that of the parent thread.
    ///
    ///     <thread parent='e0ffe42b28561960c6b12b944a092794b9683a38'>0e3141cd80894871a68e6fe6b1ec56fa</thread>
    public struct Thread: MessagePayload, Hashable {
        public static let name = XMLName("thread", XMPPNamespace.client)

        public var id: String
        public var parent: String?

        public init(id: String, parent: String? = nil) {
            self.id = id
            self.parent = parent
        }

        public init(from element: XMLElement) throws(XMLDecodingError) {
            id = element.text
            parent = element["parent"]
        }

        public func encode(to writer: inout XMLWriter) {
            writer.start(Self.name)
            writer.attribute("parent", parent)
            writer.text(id)
            writer.end()
        }
    }
}
