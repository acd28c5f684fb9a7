import XMLStreaming

extension Message {
    static let bodyName = XMLName("body", XMPPNamespace.client)
    static let subjectName = XMLName("subject", XMPPNamespace.client)

    /// The text of the message in its own language: the body without `xml:lang`, otherwise the first (RFC 6121 §5.2.3).
    ///
    /// Setting replaces that body only; bodies in other languages stay. `nil` takes it away.
    public var body: String? {
        get { payloads.text(Self.bodyName) }
        set { payloads.setText(Self.bodyName, newValue) }
    }

    /// The text in all its languages; a body without `xml:lang` counts for the language of the message.
    public var bodies: LocalizedText {
        get { payloads.texts(Self.bodyName, inherited: language) }
        set { payloads.setTexts(Self.bodyName, newValue, inherited: language) }
    }

    /// The text in that language, or `nil` if there is none. See ``LocalizedText/best(for:)`` for a choice by
    /// preference.
    public func body(language: String?) -> String? { bodies[language] }

    /// Adds the text in one more language, in place of the one in the same language.
    public mutating func setBody(_ text: String?, language: String?) {
        payloads.setText(Self.bodyName, text, language: language)
    }

    /// The topic of the message in its own language (RFC 6121 §5.2.4).
    public var subject: String? {
        get { payloads.text(Self.subjectName) }
        set { payloads.setText(Self.subjectName, newValue) }
    }

    /// The topic in all its languages.
    public var subjects: LocalizedText {
        get { payloads.texts(Self.subjectName, inherited: language) }
        set { payloads.setTexts(Self.subjectName, newValue, inherited: language) }
    }

    /// Adds the topic in one more language, in place of the one in the same language.
    public mutating func setSubject(_ text: String?, language: String?) {
        payloads.setText(Self.subjectName, text, language: language)
    }

    /// The conversation that the message belongs to (RFC 6121 §5.2.5).
    public var thread: Thread? {
        get { (try? payloads.decode(Thread.self)) ?? nil }
        set {
            payloads.removeAll(named: Thread.name)
            if let newValue { payloads.append(newValue) }
        }
    }

    /// Whether the message belongs to a conversation between two.
    public var isChatMessage: Bool { type == .chat }

    /// Whether the message belongs to a conversation between two and has text to show.
    public var isChatMessageWithBody: Bool { type == .chat && isMessageWithBody }

    /// Whether the message reports the failure of an earlier one.
    public var isErrorMessage: Bool { isError }

    /// Whether the message has text to show.
    public var isMessageWithBody: Bool { payloads.contains(Self.bodyName) }
}
