public import XMLStreaming
public import XMPPStanzas

/// Marks the parts of the text of a message that are only for clients without support for another payload (XEP-0428
/// Fallback Indication).
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

    /// The namespace of the payload that replaces the text.
    public var purpose: String?
    /// The regions of the body.
    public var bodyRegions: [Region]
    /// The regions of the subject.
    public var subjectRegions: [Region]

    /// Body and subject are fallback completely: the meaning of an indication without regions.
    public var coversEverything: Bool { bodyRegions.isEmpty && subjectRegions.isEmpty }

    /// - Parameters:
    ///   - bodyRegions: by default the whole body.
    ///   - subjectRegions: without any regions at all, everything is fallback.
    public init(for purpose: String?, bodyRegions: [Region] = [.whole], subjectRegions: [Region] = []) {
        self.purpose = purpose
        self.bodyRegions = bodyRegions
        self.subjectRegions = subjectRegions
    }

    /// - Throws: if a region does not have two numbers in ascending order.
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

extension Message {
    /// The body without the fallback text of certain payloads (XEP-0428).
    ///
    /// - Parameter understood: the namespaces of the payloads that the program supports.
    /// - Returns: `nil` if there is no body or nothing of it is left.
    public func body(withoutFallbackFor understood: Set<String>) -> String? {
        text(body, without: understood) { $0.bodyRegions }
    }

    /// The subject without the fallback text of certain payloads (XEP-0428).
    public func subject(withoutFallbackFor understood: Set<String>) -> String? {
        text(subject, without: understood) { $0.subjectRegions }
    }

    /// The valid indications; an invalid one hides nothing.
    public var fallbackIndications: [FallbackIndication] {
        payloads.compactMap { payload in
            payload.isNamed(FallbackIndication.name) ? try? FallbackIndication(from: payload) : nil
        }
    }

    private func text(
        _ text: String?, without understood: Set<String>,
        regions: (FallbackIndication) -> [FallbackIndication.Region]
    ) -> String? {
        guard let text, payloads.contains(FallbackIndication.name) else { return text }
        let indications = fallbackIndications.filter { $0.purpose.map(understood.contains) ?? false }
        let hidden = indications.flatMap { $0.coversEverything ? [.whole] : regions($0) }
        guard !hidden.isEmpty else { return text }
        let rest = text.removing(hidden)
        return rest.isEmpty ? nil : rest
    }
}

extension String {
    /// The text without these regions, which are counted in code points and may overlap or exceed the end.
    func removing(_ regions: [FallbackIndication.Region]) -> String {
        var kept = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        var position = 0
        for region in regions.sorted(by: { $0.start < $1.start }) {
            let visible = rest.prefix(max(region.start - position, 0))
            kept += visible
            rest = rest[visible.endIndex...]
            position += max(region.start - position, 0)
            guard let end = region.end else { return String(kept) }
            rest = rest.dropFirst(max(end - position, 0))
            position = max(end, position)
        }
        kept += rest
        return String(kept)
    }
}
