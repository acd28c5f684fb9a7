import XMLStreaming

extension Message {
    static let bodyName = XMLName("body", XMPPNamespace.client)
    static let subjectName = XMLName("subject", XMPPNamespace.client)

    /// The text of the message in its default language: the body without `xml:lang`, otherwise the first (RFC 6121
    /// §5.2.3).
    ///
    /// Setting it replaces only that body; bodies in other languages stay. `nil` removes the body.
    public var body: String? {
        get { payloads.text(Self.bodyName) }
        set { payloads.setText(Self.bodyName, newValue) }
    }

    /// The text in all its languages; a body without `xml:lang` has the language of the message.
    public var bodies: LocalizedText {
        get { payloads.texts(Self.bodyName, inherited: language) }
        set { payloads.setTexts(Self.bodyName, newValue, inherited: language) }
    }

    /// The text in this language, or `nil` if there is none. See ``LocalizedText/best(for:)`` for a choice by
    /// preference.
    public func body(language: String?) -> String? { bodies[language] }

    /// Sets the text in one language and leaves the others.
    public mutating func setBody(_ text: String?, language: String?) {
        payloads.setText(Self.bodyName, text, language: language)
    }

    /// The subject of the message in its default language (RFC 6121 §5.2.4).
    public var subject: String? {
        get { payloads.text(Self.subjectName) }
        set { payloads.setText(Self.subjectName, newValue) }
    }

    /// The subject in all its languages.
    public var subjects: LocalizedText {
        get { payloads.texts(Self.subjectName, inherited: language) }
        set { payloads.setTexts(Self.subjectName, newValue, inherited: language) }
    }

    /// Sets the subject in one language and leaves the others.
    public mutating func setSubject(_ text: String?, language: String?) {
        payloads.setText(Self.subjectName, text, language: language)
    }

    /// The thread that the message belongs to (RFC 6121 §5.2.5).
    public var thread: Thread? {
        get { (try? payloads.decode(Thread.self)) ?? nil }
        set {
            payloads.removeAll(named: Thread.name)
            if let newValue { payloads.append(newValue) }
        }
    }

    /// Whether the message belongs to a one-to-one conversation.
    public var isChatMessage: Bool { type == .chat }

    /// Whether the message belongs to a one-to-one conversation and has a body.
    public var isChatMessageWithBody: Bool { type == .chat && isMessageWithBody }

    /// Whether the message reports that an earlier one failed.
    public var isErrorMessage: Bool { isError }

    /// Whether the message has a body.
    public var isMessageWithBody: Bool { payloads.contains(Self.bodyName) }
}
