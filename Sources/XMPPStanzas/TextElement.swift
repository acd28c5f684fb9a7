import XMLStreaming

/// An element that contains only text, optionally in a stated language: body, subject, status, the text of an error.
struct TextElement: XMLEncodable {
    var name: XMLName
    var text: String
    var language: String?

    func encode(to writer: inout XMLWriter) {
        writer.start(name)
        writer.attribute(.language, language)
        writer.text(text)
        writer.end()
    }
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
