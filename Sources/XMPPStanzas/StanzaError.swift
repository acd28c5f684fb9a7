public import XMLStreaming
public import XMPPAddress

/// Why a stanza could not be processed (RFC 6120 §8.3).
///
///     <error type='auth' by='example.org'>
///       <not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>
///       <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas' xml:lang='en'>Please log in first.</text>
///     </error>
public struct StanzaError: Error, Sendable, Hashable {
    /// What the sender can do about an error (RFC 6120 §8.3.2).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Try again after proving who one is.
        case auth
        /// Do not try again: the error cannot be remedied.
        case cancel
        /// Go on: the condition was only a warning.
        case `continue`
        /// Try again after changing what was sent.
        case modify
        /// Try again later: the error is temporary.
        case wait
    }

    public var type: Kind
    public var condition: Condition
    /// The peer's own words, for a person or a log.
    public var text: LocalizedText
    /// The entity that noticed the error, if it is not the one the stanza was sent to.
    public var by: JID?
    /// Where to go instead: the URI inside `gone` and `redirect` (RFC 6120 §8.3.3.5 and §8.3.3.14).
    public var newAddress: String?
    /// A more precise condition from another namespace (RFC 6120 §8.3.4).
    public var applicationCondition: XMLElement?

    /// An error; without a type it gets the one that the specification recommends for its condition.
    public init(
        _ condition: Condition, type: Kind? = nil, text: LocalizedText = LocalizedText(), by: JID? = nil,
        newAddress: String? = nil, applicationCondition: XMLElement? = nil
    ) {
        self.condition = condition
        self.type = type ?? condition.recommendedType
        self.text = text
        self.by = by
        self.newAddress = newAddress
        self.applicationCondition = applicationCondition
    }
}

extension StanzaError: XMLPayload, MessagePayload, PresencePayload, IQPayload {
    public static let name = XMLName("error", XMPPNamespace.client)
    static let textName = XMLName("text", XMPPNamespace.stanzaErrors)

    /// Reads an `<error/>` leniently: what is missing or unknown becomes `undefined-condition` with a fitting type.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        condition = .undefinedCondition
        text = LocalizedText()
        for child in element.children {
            let name = child.name
            if name == Self.textName {
                text.append(child.text, language: child.language ?? element.language)
            } else if name.namespace == XMPPNamespace.stanzaErrors {
                condition = Condition(rawValue: name.local) ?? .undefinedCondition
                let address = child.text.trimmed
                newAddress = address.isEmpty ? nil : address
            } else if applicationCondition == nil {
                applicationCondition = child
            }
        }
        type = element["type"].flatMap(Kind.init(rawValue:)) ?? condition.recommendedType
        by = element["by"].flatMap { try? JID($0) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("type", type.rawValue)
        writer.attribute("by", by?.description)
        writer.start(XMLName(condition.rawValue, XMPPNamespace.stanzaErrors))
        if let newAddress { writer.text(newAddress) }
        writer.end()
        for variant in text {
            TextElement(name: Self.textName, text: variant.text, language: variant.language).encode(to: &writer)
        }
        if let applicationCondition { writer.write(applicationCondition) }
        writer.end()
    }
}

extension StanzaError: CustomStringConvertible {
    /// The meaning of the condition in a sentence, then the peer's own words if it gave some.
    public var description: String {
        guard let text = text.best(for: []), !text.isEmpty else { return condition.sentence }
        return "\(condition.sentence) (\(text))"
    }
}
