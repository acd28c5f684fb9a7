public import XMLStreaming

/// Why a peer ended the whole stream (RFC 6120 §4.9). A stream error is final: the connection closes after it.
///
///     S: <stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>
///          <text xmlns='urn:ietf:params:xml:ns:xmpp-streams' xml:lang='en'>Replaced by new connection</text></stream:error>
///        </stream:stream>
public struct StreamError: Error, Sendable, Hashable {
    /// A place to connect to, as `see-other-host` names it (RFC 6120 §4.9.3.19).
    public struct Host: Sendable, Hashable {
        /// A domain name or an IP address; an IPv6 address stands without its brackets.
        public var name: String
        /// The port, or `nil` for the one that is usual.
        public var port: UInt16?

        public init(name: String, port: UInt16? = nil) {
            self.name = name
            self.port = port
        }

        /// Reads `host`, `host:port`, `[IPv6]` and `[IPv6]:port`; a bare IPv6 address is understood too.
        public init?(_ text: String) {
            let text = text.trimmed
            if text.hasPrefix("[") {
                guard let close = text.firstIndex(of: "]") else { return nil }
                name = String(text[text.index(after: text.startIndex)..<close])
                let rest = text[text.index(after: close)...]
                guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
                guard let port = Self.port(rest.dropFirst()) else { return nil }
                self.port = port
            } else {
                let parts = text.split(separator: ":", omittingEmptySubsequences: false)
                name = parts.count == 2 ? String(parts[0]) : text
                guard let port = Self.port(parts.count == 2 ? parts[1] : "") else { return nil }
                self.port = port
            }
            guard !name.isEmpty, !name.contains(where: \.isWhitespace) else { return nil }
        }

        /// `.some(nil)` if none is given, `nil` if it is no port.
        private static func port(_ text: Substring) -> UInt16?? {
            if text.isEmpty { return .some(nil) }
            guard let port = UInt16(text), port > 0 else { return nil }
            return .some(port)
        }
    }

    public var condition: Condition
    /// The peer's own words, for a person or a log.
    public var text: LocalizedText
    /// Where to connect instead, if the condition is `see-other-host` and names a place that can be read.
    public var otherHost: Host?
    /// A more precise condition from another namespace (RFC 6120 §4.9.4).
    public var applicationCondition: XMLElement?

    public init(
        _ condition: Condition, text: LocalizedText = LocalizedText(), otherHost: Host? = nil,
        applicationCondition: XMLElement? = nil
    ) {
        self.condition = condition
        self.text = text
        self.otherHost = otherHost
        self.applicationCondition = applicationCondition
    }
}

extension StreamError: XMLPayload {
    public static let name = XMLName("error", XMLNamespace.streams)
    static let textName = XMLName("text", XMPPNamespace.streamErrors)

    /// Reads a stream error leniently: what is missing or unknown becomes `undefined-condition`.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        condition = .undefinedCondition
        text = LocalizedText()
        for child in element.children {
            let name = child.name
            if name == Self.textName {
                text.append(child.text, language: child.language ?? element.language)
            } else if name.namespace == XMPPNamespace.streamErrors {
                condition = Condition(rawValue: name.local) ?? .undefinedCondition
                if condition == .seeOtherHost { otherHost = Host(child.text) }
            } else if applicationCondition == nil {
                applicationCondition = child
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(XMLName(condition.rawValue, XMPPNamespace.streamErrors))
        if let otherHost {
            let name = otherHost.name.contains(":") ? "[\(otherHost.name)]" : otherHost.name
            writer.text(otherHost.port.map { "\(name):\($0)" } ?? name)
        }
        writer.end()
        for variant in text {
            TextElement(name: Self.textName, text: variant.text, language: variant.language).encode(to: &writer)
        }
        if let applicationCondition { writer.write(applicationCondition) }
        writer.end()
    }
}

extension StreamError: CustomStringConvertible {
    /// The meaning of the condition in a sentence, then the peer's own words if it gave some.
    public var description: String {
        guard let text = text.best(for: []), !text.isEmpty else { return condition.sentence }
        return "\(condition.sentence) (\(text))"
    }
}
