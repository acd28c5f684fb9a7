import XMLStreaming

/// The same text in several languages: in stanzas, repeated elements with different `xml:lang` (RFC 6120 §8.1.5).
///
///     <body xml:lang='en'>Good morning</body>
///     <body xml:lang='cs'>Dobré ráno</body>
public struct LocalizedText: Sendable, Hashable {
    /// The text in one language.
    public struct Variant: Sendable, Hashable {
        /// The language tag (BCP 47), or `nil` if the language is not stated.
        public var language: String?
        public var text: String

        public init(language: String?, text: String) {
            self.language = language
            self.text = text
        }
    }

    private var variants: [Variant] = []

    public init() {}

    /// A text in one language.
    public init(_ text: String, language: String? = nil) {
        variants = [Variant(language: language, text: text)]
    }

    /// The text in exactly this language; tags are compared case-insensitively. Setting `nil` removes the text.
    public subscript(language: String?) -> String? {
        get { variants.first { Self.isSame($0.language, language) }?.text }
        set {
            variants.removeAll { Self.isSame($0.language, language) }
            if let newValue { variants.append(Variant(language: language, text: newValue)) }
        }
    }

    mutating func append(_ text: String, language: String?) {
        variants.append(Variant(language: language, text: text))
    }

    /// The best text for a reader.
    ///
    /// Tries the languages in order of preference, each first by the lookup of RFC 4647 §3.4 (`zh-Hans-CN`, `zh-Hans`,
    /// `zh`), then as a prefix (`zh` finds `zh-Hant`). If none matches, returns the text without a language, otherwise
    /// the first.
    public func best(for languages: [String]) -> String? {
        for language in languages {
            if let text = lookUp(language) { return text }
        }
        return (variants.first { $0.language == nil } ?? variants.first)?.text
    }

    private func lookUp(_ language: String) -> String? {
        var subtags = language.lowercased().split(separator: "-")
        while !subtags.isEmpty {
            let range = subtags.joined(separator: "-")
            if let variant = variants.first(where: { $0.language?.lowercased() == range }) { return variant.text }
            subtags.removeLast()
            // RFC 4647 §3.4: a single letter only introduces the subtag that was removed.
            if subtags.last?.count == 1 { subtags.removeLast() }
        }
        let prefix = language.lowercased() + "-"
        return variants.first { $0.language?.lowercased().hasPrefix(prefix) ?? false }?.text
    }

    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        left == right || (left != nil && left?.lowercased() == right?.lowercased())
    }
}

extension LocalizedText: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { variants.count }
    public subscript(position: Int) -> Variant { variants[position] }
}

extension LocalizedText: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(text) }
}

extension LocalizedText: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral texts: (String?, String)...) {
        for (language, text) in texts { append(text, language: language) }
    }
}

/// An element that contains only text, optionally in a stated language: body, subject, status, the text of an error.
struct TextElement: XMLEncodable {
    var name: XMLName
    var text: String
    var language: String?

    func encode(to writer: inout XMLWriter) {
        writer.start(name)
        if let language { writer.attribute(.language, language) }
        writer.text(text)
        writer.end()
    }
}

/// The body of a message without a stated language: a ``TextElement`` that is small enough to be stored without a box.
struct BodyText: XMLEncodable {
    var text: String

    func encode(to writer: inout XMLWriter) { writer.element(Message.bodyName, text: text) }
}

extension Payloads {
    /// The text of the element in the default language of the stanza: the one without `xml:lang`, otherwise the first.
    func text(_ name: XMLName) -> String? {
        if let untouched { return untouched.text(ofChild: name) }
        var first: XMLElement?
        for child in self where child.isNamed(name) {
            if child.language == nil { return child.text }
            if first == nil { first = child }
        }
        return first?.text
    }

    /// Replaces the text without `xml:lang`; texts in other languages stay.
    mutating func setText(_ name: XMLName, _ text: String?, language: String? = nil) {
        if contains(name) {
            removeAll { $0.isNamed(name) && $0.language == language }
        }
        if let text { append(TextElement(name: name, text: text, language: language)) }
    }

    /// The texts of all elements with that name; one without `xml:lang` has the language of the stanza.
    func texts(_ name: XMLName, inherited language: String?) -> LocalizedText {
        var texts = LocalizedText()
        for child in self where child.isNamed(name) {
            texts.append(child.text, language: child.language ?? language)
        }
        return texts
    }

    mutating func setTexts(_ name: XMLName, _ texts: LocalizedText, inherited language: String?) {
        removeAll(named: name)
        for variant in texts {
            let own = variant.language == language ? nil : variant.language
            append(TextElement(name: name, text: variant.text, language: own))
        }
    }
}
