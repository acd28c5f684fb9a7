public import MessageFeatures
public import XMLStreaming

/// A report about a blocked address, for the operators of the server (XEP-0377 Spam Reporting).
///
/// ```
/// C: <report xmlns='urn:xmpp:reporting:1' reason='urn:xmpp:reporting:spam'>
///      <stanza-id xmlns='urn:xmpp:sid:0' by='juliet@example.com' id='28482-98726-73623'/>
///      <text xml:lang='en'>Never came trouble to my house like this.</text></report>
/// ```
public struct AbuseReport: XMLPayload, Equatable {
    public enum Reason: String, Sendable, CaseIterable {
        case spam = "urn:xmpp:reporting:spam"
        case abuse = "urn:xmpp:reporting:abuse"
    }

    public static let name = XMLName("report", "urn:xmpp:reporting:1")

    public var reason: Reason
    /// The reported messages, by their identifiers in our archive.
    public var messages: [StanzaIdentifier]
    public var text: String?
    /// Whether the server may forward the report to the server of the blocked address.
    public var mayReportToOrigin: Bool
    /// Whether the server may forward the report to third parties, such as maintainers of block lists.
    public var mayReportToThirdParties: Bool

    public init(
        _ reason: Reason, messages: [StanzaIdentifier] = [], text: String? = nil, mayReportToOrigin: Bool = false,
        mayReportToThirdParties: Bool = false
    ) {
        self.reason = reason
        self.messages = messages
        self.text = text
        self.mayReportToOrigin = mayReportToOrigin
        self.mayReportToThirdParties = mayReportToThirdParties
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let reason = try element.value("reason", as: Reason.self) else {
            throw XMLDecodingError(Self.name, .missingAttribute("reason"))
        }
        self.init(reason, text: element.firstChild(Self.textName)?.text)
        for child in element.children(StanzaIdentifier.name) { messages.append(try StanzaIdentifier(from: child)) }
        mayReportToOrigin = element.firstChild(Self.originName) != nil
        mayReportToThirdParties = element.firstChild(Self.thirdPartyName) != nil
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("reason", reason.rawValue)
        for message in messages { message.encode(to: &writer) }
        if let text { writer.element(Self.textName, text: text) }
        if mayReportToOrigin { writer.element(Self.originName, text: "") }
        if mayReportToThirdParties { writer.element(Self.thirdPartyName, text: "") }
        writer.end()
    }

    private static let textName = XMLName("text", name.namespace)
    private static let originName = XMLName("report-origin", name.namespace)
    private static let thirdPartyName = XMLName("third-party", name.namespace)
}
