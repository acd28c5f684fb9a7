/// Why an element is not what a type expects.
public struct XMLDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: Sendable, Hashable {
        /// A required attribute is not there.
        case missingAttribute(String)
        /// An attribute has a value that its type does not allow.
        case invalidAttribute(String, value: String)
        /// A required child is not there.
        case missingElement(XMLName)
        /// The element itself, or a child, has another name than expected.
        case unexpectedElement
        /// The character data is not what the type allows.
        case invalidText
        /// A rule of the specification is broken that none of the other reasons names; in words.
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
        case .invalid(let sentence): "The element \(element) is invalid: \(sentence)"
        }
    }
}
