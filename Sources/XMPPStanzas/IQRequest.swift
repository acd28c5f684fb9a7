public import XMLStreaming

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
