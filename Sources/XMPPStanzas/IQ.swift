public import XMLStreaming
public import XMPPAddress

/// A request or its answer ("info/query"): `get` and `set` are answered by `result` or `error` with the same id (RFC
/// 6120 §8.2.3).
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

    public var id: String?
    public var to: JID?
    public var from: JID?
    public var language: String?
    public var type: Kind
    public var payloads: Payloads

    public init(type: Kind, to: JID? = nil, id: String? = nil, payloads: Payloads = []) {
        self.id = id
        self.to = to
        self.type = type
        self.payloads = payloads
    }

    /// An IQ stanza around one child.
    public init(type: Kind, to: JID? = nil, id: String? = nil, payload: some XMLEncodable) {
        self.init(type: type, to: to, id: id)
        payloads.append(payload)
    }

    /// The stanza that carries a request; its type is the one that the request needs.
    public init<Request: IQRequest>(_ request: Request, to: JID? = nil, id: String? = nil) {
        self.init(type: Request.iqType, to: to, id: id, payload: request)
    }

    /// Reads an IQ stanza and holds it to the rules of RFC 6120 §8.2.3: one of four types, an id, and exactly one child
    /// in a request.
    ///
    /// ``rejection(of:)`` gives the answer to a request that breaks them.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        var addresses = AddressCache()
        guard Self.isName(of: element) else {
            throw XMLDecodingError(element.name, .unexpectedElement)
        }
        self = try Self.read(element, addresses: &addresses)
    }

    /// Whether the element is called `iq`; quicker than a comparison with ``name``.
    static func isName(of element: XMLElement) -> Bool { element.isNamed("iq", "jabber:client") }

    /// Reads an element that has this name.
    ///
    /// The parts are complete before the value is made of them, so that they move into it and nothing is copied.
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
        (self.id, self.to, self.from, self.language, self.type, self.payloads) = (
            id, to, from, language, type, payloads
        )
    }

    private static func requireOneChild(of element: XMLElement) throws(XMLDecodingError) {
        var count = 0
        for _ in element.children {
            count += 1
            guard count == 1 else { throw XMLDecodingError(name, .invalid("A request has one child only.")) }
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

    /// The child that says what is asked or answered; in an error the copy of the request, if the sender included one.
    public var payload: XMLElement? { payloads.first { !(isError && $0.isNamed(Self.errorName)) } }

    /// The `<error/>` child as it came. ``Stanza/error`` is the same, decoded.
    public var errorElement: XMLElement? { isError ? payloads.first(Self.errorName) : nil }
}
