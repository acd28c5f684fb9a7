package import XMLStreaming
package import XMPPAddress

extension XMLElement {
    /// The address in an attribute; `nil` if it is absent. Throws for an invalid one.
    package func address(_ attribute: String) throws(XMLDecodingError) -> JID? {
        guard let text = self[attribute] else { return nil }
        guard let address = try? JID(text) else {
            throw XMLDecodingError(name, .invalidAttribute(attribute, value: text))
        }
        return address
    }

    /// The address in a required attribute.
    package func requiredAddress(_ attribute: String) throws(XMLDecodingError) -> JID {
        guard let address = try address(attribute) else {
            throw XMLDecodingError(name, .missingAttribute(attribute))
        }
        return address
    }
}
