public import XMLStreaming
public import XMPPAddress

/// A request or its response ("info/query"): the response to `get` and `set` is a `result` or `error` with the same id
/// (RFC 6120 §8.2.3).
///
///     C: <iq id='rk1' type='get'><query xmlns='jabber:iq:roster'/></iq>
///     S: <iq id='rk1' type='result' to='juliet@example.com/balcony'><query xmlns='jabber:iq:roster' ver='ver7'/></iq>
public struct IQ: Stanza {
    /// The four types of an IQ stanza (RFC 6120 §8.2.3).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Asks for information.
        case get
        /// Provides or changes information.
        case set
        /// The request was fulfilled.
        case result
        /// The request failed.
        case error
    }

    public static let name = XMLName("iq", XMPPNamespace.client)
    static let errorName = XMLName("error", XMPPNamespace.client)

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

    public init(type: Kind, to: JID? = nil, id: String? = nil, payloads: Payloads = []) {
        self.init(id: id, to: to, from: nil, language: nil, type: type, payloads: payloads)
    }

    /// Creates an IQ stanza around one child.
    public init(type: Kind, to: JID? = nil, id: String? = nil, payload: some XMLEncodable) {
        self.init(type: type, to: to, id: id)
        payloads.append(payload)
    }

    /// Creates the stanza of a request, with the type that the request needs.
    public init<Request: IQRequest>(_ request: Request, to: JID? = nil, id: String? = nil) {
        self.init(type: Request.iqType, to: to, id: id, payload: request)
    }

    /// Reads an IQ stanza and enforces RFC 6120 §8.2.3: one of four types, an id, and exactly one child in a request.
    ///
    /// ``rejection(of:)`` gives the response to a request that breaks these rules.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        var addresses = AddressCache()
        guard Self.isName(of: element) else {
            throw XMLDecodingError(element.name, .unexpectedElement)
        }
        self = try Self.read(element, addresses: &addresses)
    }

    /// Whether the element is called `iq`; faster than a comparison with ``name``.
    static func isName(of element: XMLElement) -> Bool { element.isNamed("iq", "jabber:client") }

    /// Reads an element that has this name.
    ///
    /// All parts exist before the value is created from them, so they are moved into it and nothing is copied.
    static func read(_ element: XMLElement, addresses: inout AddressCache) throws(XMLDecodingError) -> IQ {
        let attributes = element.stanzaAttributes
        guard let type = element.string(attributes.type) else {
            throw XMLDecodingError(Self.name, .missingAttribute("type"))
        }
        guard let kind = Kind(rawValue: type) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("type", value: type))
        }
        guard let id = element.string(attributes.id) else {
            throw XMLDecodingError(Self.name, .missingAttribute("id"))
        }
        let from = try addresses.address(attributes.from, named: "from", of: element)
        let to = try addresses.address(attributes.to, named: "to", of: element)
        if kind == .get || kind == .set { try requireOneChild(of: element) }
        return IQ(
            id: id, to: to, from: from, language: element.string(attributes.language), type: kind,
            payloads: Payloads(of: element))
    }

    private init(id: String?, to: JID?, from: JID?, language: String?, type: Kind, payloads: Payloads) {
        parts = [StanzaParts(id: id, to: to, from: from, language: language, payloads: payloads)]
        self.type = type
    }

    private static func requireOneChild(of element: XMLElement) throws(XMLDecodingError) {
        var count = 0
        for _ in element.children {
            count += 1
            guard count == 1 else { throw XMLDecodingError(name, .invalid("A request has only one child.")) }
        }
        guard count == 1 else { throw XMLDecodingError(name, .invalid("A request needs a child.")) }
    }

    public func encode(to writer: inout XMLWriter) {
        write(type: type.rawValue, to: &writer)
    }

    public var isGet: Bool { type == .get }
    public var isSet: Bool { type == .set }
    public var isResult: Bool { type == .result }
    public var isError: Bool { type == .error }

    /// Whether the receiver must answer: true for `get` and `set`.
    public var requiresResponse: Bool { type == .get || type == .set }

    /// The payload of the request or response; in an error, the copy of the request if the sender included one.
    public var payload: XMLElement? { payloads.first { !(isError && $0.isNamed(Self.errorName)) } }
}

extension IQ {
    /// The result for a request: addresses swapped, same id (RFC 6120 §8.2.3).
    public static func result(for request: IQ, payload: (any XMLEncodable)? = nil) -> IQ {
        var reply = IQ(type: .result, to: request.from, id: request.id)
        reply.from = request.to
        if let payload { reply.payloads.append(payload) }
        return reply
    }

    /// The error response to a request: addresses swapped, same id, without the content (RFC 6120 §8.3.1).
    public static func error(for request: IQ, _ error: StanzaError) -> IQ {
        var reply = IQ(type: .error, to: request.from, id: request.id)
        reply.from = request.to
        reply.payloads.append(error)
        return reply
    }

    /// The error response to this stanza, or `nil` if it is itself a response: responses get no response.
    public func errorReply(_ error: StanzaError) -> IQ? {
        requiresResponse ? .error(for: self, error) : nil
    }

    /// The error response to an element that is an unreadable request: `bad-request`, or `jid-malformed` for an invalid
    /// `to`.
    ///
    /// `nil` if no response is possible: not an IQ stanza, itself a response, no id, or an invalid sender.
    public static func rejection(of element: XMLElement) -> IQ? {
        guard element.isNamed(name), let id = element["id"] else { return nil }
        if let type = element["type"], type == Kind.result.rawValue || type == Kind.error.rawValue { return nil }
        let attributes = element.stanzaAttributes
        var addresses = AddressCache()
        do {
            let sender = try addresses.address(attributes.from, named: "from", of: element)
            let receiver = try? addresses.address(attributes.to, named: "to", of: element)
            let isReceiverBad = receiver == nil && element["to"] != nil
            var reply = IQ(type: .error, to: sender, id: id)
            reply.from = receiver ?? nil
            reply.payloads.append(StanzaError(isReceiverBad ? .jidMalformed : .badRequest))
            return reply
        } catch {
            return nil
        }
    }
}

/// The payload of an IQ request, which also defines the type of its response.
///
/// RFC 6120 §8.2.3: a request is of type `get` or `set`, has exactly one child, and its response is a result or an
/// error.
///
///     C: <iq id='q1' type='get' to='example.org'><ping xmlns='urn:xmpp:ping'/></iq>
///     S: <iq id='q1' type='result' from='example.org'/>
public protocol IQRequest: IQPayload {
    /// The content of the result.
    associatedtype Response: IQResponse
    /// The type of the request: `.get` for a query, `.set` for a change. The default is `.get`.
    static var iqType: IQ.Kind { get }
}

extension IQRequest {
    public static var iqType: IQ.Kind { .get }
}

/// The content of the result of an IQ request.
public protocol IQResponse: Sendable {
    /// Reads the child of the result; `nil` when the result is empty.
    init(payload: XMLElement?) throws(XMLDecodingError)
}

extension IQResponse where Self: XMLPayload {
    public init(payload: XMLElement?) throws(XMLDecodingError) {
        guard let payload else {
            throw XMLDecodingError(IQ.name, .missingElement(Self.name))
        }
        guard payload.isNamed(Self.name) else {
            throw XMLDecodingError(payload.name, .unexpectedElement)
        }
        try self.init(from: payload)
    }
}

/// The result of a request that is only confirmed. A child of the result is ignored.
public struct EmptyResponse: IQResponse, Hashable {
    public init() {}

    public init(payload: XMLElement?) throws(XMLDecodingError) {}
}

/// The unparsed result of a request, for a protocol without its own type.
public struct ElementResponse: IQResponse, Hashable {
    /// The child of the result, or `nil` if it was empty.
    public var payload: XMLElement?

    public init(payload: XMLElement?) throws(XMLDecodingError) {
        self.payload = payload
    }
}
