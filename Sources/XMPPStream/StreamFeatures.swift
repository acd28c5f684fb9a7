public import XMLStreaming

/// The features that a server offers at one point of the negotiation: `<stream:features/>` (RFC 6120 §4.3.2).
///
///     S: <stream:features>
///          <mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>SCRAM-SHA-1</mechanism></mechanisms>
///        </stream:features>
public struct StreamFeatures: Equatable, Sendable {
    /// The received element; nil if nothing was offered.
    public let element: XMLElement?

    /// No offers.
    public static let none = StreamFeatures(element: nil)

    public init(element: XMLElement?) { self.element = element }

    public func offers(_ name: XMLName) -> Bool { element?.firstChild(name) != nil }

    package var offersStartTLS: Bool { offers(StreamName.startTLS) }

    /// Whether the server requires TLS (RFC 6120 §5.4.1).
    package var requiresStartTLS: Bool {
        element?.firstChild(StreamName.startTLS)?.firstChild(StreamName.tlsRequired) != nil
    }

    /// The names of the SASL mechanisms in the server's order; nil when SASL is not offered at all.
    public var mechanisms: [String]? {
        element?.firstChild(StreamName.mechanisms)?.children
            .filter { $0.isNamed(StreamName.mechanism) }
            .map { $0.text.trimmingXMLWhitespace() }
            .filter { !$0.isEmpty }
    }

    /// The names of the mechanisms of XEP-0388 in the server's order; nil when it is not offered.
    public var extensibleMechanisms: [String]? {
        element?.firstChild(StreamName.authentication)?.children
            .filter { $0.isNamed(StreamName.offeredMechanism) }
            .map { $0.text.trimmingXMLWhitespace() }
            .filter { !$0.isEmpty }
    }

    /// The channel bindings that the server supports (XEP-0440 §2); nil if it does not announce them.
    public var channelBindingTypes: [String]? {
        element?.firstChild(StreamName.channelBindings)?.children
            .filter { $0.isNamed(StreamName.channelBinding) }
            .compactMap { $0["type"] }
    }

    /// Whether accounts can be created in-band (XEP-0077 §8). Servers may allow it without announcing it.
    public var offersRegistration: Bool { offers(StreamName.registrationFeature) }

    package var offersBinding: Bool { offers(StreamName.bind) }

    /// Whether the session of RFC 3921 §3 must be started: offered and not marked optional.
    public var requiresSession: Bool {
        guard let session = element?.firstChild(StreamName.session) else { return false }
        return session.firstChild(StreamName.sessionOptional) == nil
    }

    /// The limits of the server on this stream (XEP-0478). They may change after the login.
    public var limits: StreamLimits { StreamLimits(self) }

    package var offersStreamManagement: Bool { offers(StreamName.management) }
}

extension String {
    /// Without the white space of XML at both ends. Some servers lay out their features in lines.
    func trimmingXMLWhitespace() -> String {
        func isSpace(_ character: Character) -> Bool { character.isASCII && character.isWhitespace }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
