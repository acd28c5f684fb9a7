public import XMLStreaming
public import XMPPStanzas

/// What is behind a link in the text, as the sender describes it (XEP-0511 Link Metadata).
///
/// ```
/// S: <body>I wanted to mention https://link.example/what</body>
///    <Description xmlns='http://www.w3.org/1999/02/22-rdf-syntax-ns#' rdf:about='https://link.example/what'>
///      <title xmlns='https://ogp.me/ns#'>The Best Webpage</title></Description>
/// ```
///
/// The receiver loads nothing. The sender can claim anything, so a program shows where the link leads beside it (§5).
public struct LinkDescription: MessagePayload, Hashable, Codable {
    public static let name = XMLName("Description", "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
    private static let aboutName = XMLName("about", name.namespace)
    private static let openGraph = "https://ogp.me/ns#"

    /// In characters; longer texts are cut.
    public static let (titleLimit, summaryLimit, siteLimit) = (200, 400, 80)
    /// In bytes; longer links are refused.
    public static let linkLimit = 2_048

    /// The link, as it stands in the text.
    public let link: String
    public let title: String?
    public let summary: String?
    public let site: String?

    /// `nil` without a link of a usable length, or without anything about it.
    public init?(of link: String, title: String? = nil, summary: String? = nil, site: String? = nil) {
        self.link = link
        self.title = Self.line(title, Self.titleLimit)
        self.summary = Self.line(summary, Self.summaryLimit)
        self.site = Self.line(site, Self.siteLimit)
        guard !link.isEmpty, link.utf8.count <= Self.linkLimit, self.title != nil || self.summary != nil else {
            return nil
        }
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let link = element.attribute(Self.aboutName) else {
            throw XMLDecodingError(Self.name, .missingAttribute("about"))
        }
        func text(_ name: String) -> String? { element.firstChild(XMLName(name, Self.openGraph))?.text }
        guard
            let description = LinkDescription(
                of: link, title: text("title"), summary: text("description"), site: text("site_name"))
        else { throw XMLDecodingError(Self.name, .missingElement(XMLName("title", Self.openGraph))) }
        self = description
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute(Self.aboutName, link)
        for (name, text) in [("title", title), ("description", summary), ("site_name", site)] {
            if let text { writer.element(XMLName(name, Self.openGraph), text: text) }
        }
        writer.end()
    }

    /// One line of text without spaces at its ends, cut to a number of characters; `nil` if nothing is left.
    private static func line(_ text: String?, _ limit: Int) -> String? {
        guard let text else { return nil }
        var line = ""
        var count = 0
        var isSpaceDue = false
        for character in text {
            if character.isWhitespace
                || character.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            {
                isSpaceDue = !line.isEmpty
                continue
            }
            if isSpaceDue { line.append(" ") }
            isSpaceDue = false
            line.append(character)
            count += 1
            if count == limit {
                line += "…"
                break
            }
        }
        return line.isEmpty ? nil : line
    }
}
