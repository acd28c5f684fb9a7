extension XMLElement {
    /// Throws unless the element has this name.
    public func requireName(_ name: XMLName) throws(XMLDecodingError) {
        guard isNamed(name) else { throw XMLDecodingError(self.name, .unexpectedElement) }
    }

    /// The value of an attribute that must be there.
    public func required(_ attribute: String) throws(XMLDecodingError) -> String {
        guard let value = self[attribute] else { throw XMLDecodingError(name, .missingAttribute(attribute)) }
        return value
    }

    /// The child that must be there.
    public func required(_ child: XMLName) throws(XMLDecodingError) -> XMLElement {
        guard let element = firstChild(child) else { throw XMLDecodingError(name, .missingElement(child)) }
        return element
    }

    /// The value of an attribute as a number or another type with a textual form; `nil` when it is not there.
    public func value<Value: LosslessStringConvertible>(
        _ attribute: String, as type: Value.Type = Value.self
    ) throws(XMLDecodingError) -> Value? {
        guard let text = self[attribute] else { return nil }
        guard let value = Value(text) else {
            throw XMLDecodingError(name, .invalidAttribute(attribute, value: text))
        }
        return value
    }

    /// The value of an attribute as one of an enumeration's cases; `nil` when it is not there.
    public func value<Value: RawRepresentable<String>>(
        _ attribute: String, as type: Value.Type = Value.self
    ) throws(XMLDecodingError) -> Value? {
        guard let text = self[attribute] else { return nil }
        guard let value = Value(rawValue: text) else {
            throw XMLDecodingError(name, .invalidAttribute(attribute, value: text))
        }
        return value
    }

    /// The value of an attribute of the type `xs:boolean`: `true`, `1`, `false` or `0`; `nil` when it is not there.
    public func boolean(_ attribute: String) throws(XMLDecodingError) -> Bool? {
        switch self[attribute] {
        case nil: nil
        case "true", "1": true
        case "false", "0": false
        case let text?: throw XMLDecodingError(name, .invalidAttribute(attribute, value: text))
        }
    }

    /// The first child that is this payload; `nil` when there is none.
    public func decode<Payload: XMLPayload>(_ type: Payload.Type) throws(XMLDecodingError) -> Payload? {
        guard let element = firstChild(Payload.name) else { return nil }
        return try Payload(from: element)
    }
}
