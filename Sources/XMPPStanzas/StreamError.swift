public import XMLStreaming

/// Why a peer closed the stream (RFC 6120 §4.9). A stream error is final: the connection closes after it.
///
///     S: <stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>
///          <text xmlns='urn:ietf:params:xml:ns:xmpp-streams' xml:lang='en'>Replaced by new connection</text></stream:error>
///        </stream:stream>
public struct StreamError: Error, Sendable, Hashable {
    /// The host to connect to instead, from `see-other-host` (RFC 6120 §4.9.3.19).
    public struct Host: Sendable, Hashable {
        /// A domain name or an IP address; an IPv6 address without its brackets.
        public var name: String
        /// The port, or `nil` for the default.
        public var port: UInt16?

        public init(name: String, port: UInt16? = nil) {
            self.name = name
            self.port = port
        }

        /// Reads `host`, `host:port`, `[IPv6]` and `[IPv6]:port`; a bare IPv6 address is accepted too.
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

        /// `.some(nil)` without a port, `nil` for an invalid one.
        private static func port(_ text: Substring) -> UInt16?? {
            if text.isEmpty { return .some(nil) }
            guard let port = UInt16(text), port > 0 else { return nil }
            return .some(port)
        }
    }

    public var condition: Condition
    /// The text that the peer sent, for users or a log.
    public var text: LocalizedText
    /// The host to connect to instead, if the condition is `see-other-host` and its content is readable.
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

    /// Reads a stream error leniently: a missing or unknown condition becomes `undefined-condition`.
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
    /// The meaning of the condition, followed by the peer's text if it sent one.
    public var description: String {
        guard let text = text.best(for: []), !text.isEmpty else { return condition.message }
        return "\(condition.message) (\(text))"
    }
}

extension StreamError {
    /// The conditions that RFC 6120 §4.9.3 defines; the raw value is the name of the element.
    public enum Condition: String, Sendable, Hashable, CaseIterable {
        case badFormat = "bad-format"
        case badNamespacePrefix = "bad-namespace-prefix"
        case conflict
        case connectionTimeout = "connection-timeout"
        case hostGone = "host-gone"
        case hostUnknown = "host-unknown"
        case improperAddressing = "improper-addressing"
        case internalServerError = "internal-server-error"
        case invalidFrom = "invalid-from"
        case invalidNamespace = "invalid-namespace"
        case invalidXML = "invalid-xml"
        case notAuthorized = "not-authorized"
        case notWellFormed = "not-well-formed"
        case policyViolation = "policy-violation"
        case remoteConnectionFailed = "remote-connection-failed"
        case reset
        case resourceConstraint = "resource-constraint"
        case restrictedXML = "restricted-xml"
        case seeOtherHost = "see-other-host"
        case systemShutdown = "system-shutdown"
        case undefinedCondition = "undefined-condition"
        case unsupportedEncoding = "unsupported-encoding"
        case unsupportedFeature = "unsupported-feature"
        case unsupportedStanzaType = "unsupported-stanza-type"
        case unsupportedVersion = "unsupported-version"
    }
}

extension StreamError.Condition {
    /// The meaning of the condition, in English.
    public var message: String {
        switch self {
        case .badFormat: "The peer received XML that it cannot process."
        case .badNamespacePrefix: "The peer received an element with a wrong or missing namespace prefix."
        case .conflict: "Another connection replaced this one."
        case .connectionTimeout: "The peer received nothing for too long."
        case .hostGone: "The server no longer serves this domain."
        case .hostUnknown: "The server does not serve this domain."
        case .improperAddressing: "The peer received a stanza without a usable address."
        case .internalServerError: "The server failed because of an internal error."
        case .invalidFrom: "The peer received a sender address that does not belong to this connection."
        case .invalidNamespace: "The stream was opened in a namespace that the peer does not accept."
        case .invalidXML: "The peer received XML that its schema does not allow."
        case .notAuthorized: "The peer received something that needs a login first."
        case .notWellFormed: "The peer received XML that is not well-formed."
        case .policyViolation: "The server closed the connection because of one of its rules."
        case .remoteConnectionFailed: "The server could not reach another server that it depends on."
        case .reset: "The server asks for a new connection."
        case .resourceConstraint: "The server is too busy for this connection."
        case .restrictedXML: "The peer received a kind of XML that XMPP forbids."
        case .seeOtherHost: "The server asks to connect to another host."
        case .systemShutdown: "The server is shutting down."
        case .undefinedCondition: "The server closed the connection for a reason that the standard does not name."
        case .unsupportedEncoding: "The peer received text that is not encoded in UTF-8."
        case .unsupportedFeature: "The server requires a feature that this program does not have."
        case .unsupportedStanzaType: "The peer received a kind of stanza that it does not support."
        case .unsupportedVersion: "The server uses another version of XMPP."
        }
    }
}
