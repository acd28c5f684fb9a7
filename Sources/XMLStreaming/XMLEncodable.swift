/// A value that can be written as XML.
public protocol XMLEncodable: Sendable {
    /// Writes the value: one element with what belongs to it.
    func encode(to writer: inout XMLWriter)
}

/// A value that can be read from an element.
public protocol XMLDecodable: Sendable {
    /// Reads the value; ignores what it does not know (RFC 6120 §8.4).
    init(from element: XMLElement) throws(XMLDecodingError)
}

/// A typed payload of a stanza: it knows the name of its element.
public protocol XMLPayload: XMLEncodable, XMLDecodable {
    /// The element the payload is written as.
    static var name: XMLName { get }
}
