/// A value that can be written as XML.
public protocol XMLEncodable: Sendable {
    /// Writes the value as one element with its content.
    func encode(to writer: inout XMLWriter)
}

/// A value that can be read from an element.
public protocol XMLDecodable: Sendable {
    /// Reads the value; ignores unknown content (RFC 6120 §8.4).
    init(from element: XMLElement) throws(XMLDecodingError)
}

/// A typed payload of a stanza: it knows the name of its element.
public protocol XMLPayload: XMLEncodable, XMLDecodable {
    /// The element the payload is written as.
    static var name: XMLName { get }
}

/// A payload without attributes and content: its name says everything.
public protocol EmptyPayload: XMLPayload {
    init()
}

extension EmptyPayload {
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init()
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name, text: "")
    }
}

/// Why an element is not what a type expects.
public struct XMLDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: Sendable, Hashable {
        /// A required attribute is missing.
        case missingAttribute(String)
        /// An attribute has a value that its type does not allow.
        case invalidAttribute(String, value: String)
        /// A required child is missing.
        case missingElement(XMLName)
        /// The element itself, or a child, has a different name than expected.
        case unexpectedElement
        /// The type does not allow this character data.
        case invalidText
        /// The element breaks a rule of the specification that no other reason covers; the message names it.
        case invalid(String)
    }

    /// The element that was read.
    public var element: XMLName
    public var reason: Reason

    public init(_ element: XMLName, _ reason: Reason) {
        self.element = element
        self.reason = reason
    }

    public var description: String {
        switch reason {
        case .missingAttribute(let name): "The element \(element) has no attribute “\(name)”."
        case .invalidAttribute(let name, let value):
            "The attribute “\(name)” of the element \(element) has the invalid value “\(value)”."
        case .missingElement(let child): "The element \(element) has no child \(child)."
        case .unexpectedElement: "The element \(element) is not expected here."
        case .invalidText: "The text of the element \(element) is invalid."
        case .invalid(let message): "The element \(element) is invalid: \(message)"
        }
    }
}

extension XMLElement {
    /// Throws unless the element has this name.
    public func requireName(_ name: XMLName) throws(XMLDecodingError) {
        guard isNamed(name) else { throw XMLDecodingError(self.name, .unexpectedElement) }
    }

    /// The value of a required attribute.
    public func required(_ attribute: String) throws(XMLDecodingError) -> String {
        guard let value = self[attribute] else { throw XMLDecodingError(name, .missingAttribute(attribute)) }
        return value
    }

    /// A required child.
    public func required(_ child: XMLName) throws(XMLDecodingError) -> XMLElement {
        guard let element = firstChild(child) else { throw XMLDecodingError(name, .missingElement(child)) }
        return element
    }

    /// The value of an attribute as a number or another type with a textual form; `nil` if it is absent.
    public func value<Value: LosslessStringConvertible>(
        _ attribute: String, as type: Value.Type = Value.self
    ) throws(XMLDecodingError) -> Value? {
        guard let text = self[attribute] else { return nil }
        guard let value = Value(text) else {
            throw XMLDecodingError(name, .invalidAttribute(attribute, value: text))
        }
        return value
    }

    /// The value of an attribute as a case of an enumeration; `nil` if it is absent.
    public func value<Value: RawRepresentable<String>>(
        _ attribute: String, as type: Value.Type = Value.self
    ) throws(XMLDecodingError) -> Value? {
        guard let text = self[attribute] else { return nil }
        guard let value = Value(rawValue: text) else {
            throw XMLDecodingError(name, .invalidAttribute(attribute, value: text))
        }
        return value
    }

    /// The value of an attribute of the type `xs:boolean`: `true`, `1`, `false` or `0`; `nil` if it is absent.
    public func boolean(_ attribute: String) throws(XMLDecodingError) -> Bool? {
        switch self[attribute] {
        case nil: nil
        case "true", "1": true
        case "false", "0": false
        case let text?: throw XMLDecodingError(name, .invalidAttribute(attribute, value: text))
        }
    }

    /// The first child of this payload type; `nil` if there is none.
    public func decode<Payload: XMLPayload>(_ type: Payload.Type) throws(XMLDecodingError) -> Payload? {
        guard let element = firstChild(Payload.name) else { return nil }
        return try Payload(from: element)
    }
}
