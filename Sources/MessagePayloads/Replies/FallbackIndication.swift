public import XMLStreaming
public import XMPPStanzas

/// Says which parts of a message's text are only there for programs that do not know another payload (XEP-0428 Fallback
/// Indication).
///
/// ```
/// S: <body>> Anna wrote:
///    > Hi, how are you?
///    Great</body>
///    <fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='33'/></fallback>
/// ```
public struct FallbackIndication: MessagePayload, Hashable {
    /// A part of a text, in Unicode code points (XEP-0426 Character counting in message bodies).
    public struct Region: Sendable, Hashable {
        /// The first code point.
        public var start: Int
        /// The code point after the last; `nil` for the end of the text.
        public var end: Int?

        /// All of the text.
        public static let whole = Region(start: 0, end: nil)

        public init(start: Int, end: Int?) {
            self.start = max(start, 0)
            self.end = end.map { max($0, max(start, 0)) }
        }

        public init(_ range: Range<Int>) {
            self.init(start: range.lowerBound, end: range.upperBound)
        }
    }

    public static let name = XMLName("fallback", "urn:xmpp:fallback:0")
    private static let bodyName = XMLName("body", name.namespace)
    private static let subjectName = XMLName("subject", name.namespace)

    /// The namespace of the payload that says the same in a better way.
    public var purpose: String?
    /// The parts of the body.
    public var bodyRegions: [Region]
    /// The parts of the subject.
    public var subjectRegions: [Region]

    /// Body and subject are there for others as a whole: what an indication means that names no parts.
    public var coversEverything: Bool { bodyRegions.isEmpty && subjectRegions.isEmpty }

    /// - Parameters:
    ///   - bodyRegions: By default the whole body.
    ///   - subjectRegions: Without any parts at all, everything is meant.
    public init(for purpose: String?, bodyRegions: [Region] = [.whole], subjectRegions: [Region] = []) {
        self.purpose = purpose
        self.bodyRegions = bodyRegions
        self.subjectRegions = subjectRegions
    }

    /// - Throws: If a part is not given by two numbers in order.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(for: element["for"], bodyRegions: [])
        for child in element.children {
            if child.isNamed(Self.bodyName) {
                bodyRegions.append(try Self.region(child))
            } else if child.isNamed(Self.subjectName) {
                subjectRegions.append(try Self.region(child))
            }
        }
    }

    private static func region(_ element: XMLElement) throws(XMLDecodingError) -> Region {
        let start: UInt32 = try element.value("start") ?? 0
        let end: UInt32? = try element.value("end")
        if let end, end < start { throw XMLDecodingError(element.name, .invalidAttribute("end", value: "\(end)")) }
        return Region(start: Int(start), end: end.map(Int.init))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("for", purpose)
        for (name, regions) in [(Self.subjectName, subjectRegions), (Self.bodyName, bodyRegions)] {
            for region in regions {
                writer.start(name)
                if region != .whole { writer.attribute("start", "\(region.start)") }
                writer.attribute("end", region.end.map(String.init))
                writer.end()
            }
        }
        writer.end()
    }
}
