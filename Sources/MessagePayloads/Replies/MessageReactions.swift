public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// All reactions of the sender to one message (XEP-0444 Message Reactions §3).
///
/// ```
/// C: <message to='romeo@capulet.net' id='96d73204' type='chat'>
///      <reactions id='744f6e18' xmlns='urn:xmpp:reactions:0'><reaction>👋</reaction><reaction>🐢</reaction></reactions>
///      <store xmlns='urn:xmpp:hints'/></message>
/// ```
///
/// They take the place of those that the sender gave before; none at all takes them away.
public struct MessageReactions: MessagePayload, Hashable {
    public static let name = XMLName("reactions", "urn:xmpp:reactions:0")
    private static let reactionName = XMLName("reaction", name.namespace)

    /// How many reactions of one person to one message are kept; the rest is dropped. Nobody needs as many, and a
    /// stranger must not fill a screen with one message.
    public static let maximumCount = 32

    /// The identifier of the message reacted to: `MessageIdentity.Purpose.reaction` of MessageSemantics.
    public var messageID: String
    /// Each is one emoji, none is there twice, all are written as ``qualified(_:)`` writes them.
    public let reactions: [String]

    /// - Parameter reactions: What is no emoji, or there twice, is left out (§4).
    public init(_ reactions: [String], to messageID: String) {
        self.messageID = messageID
        var seen = Set<String>()
        var kept: [String] = []
        for reaction in reactions where kept.count < Self.maximumCount && reaction.isEmoji {
            let reaction = Self.qualified(reaction)
            if seen.insert(reaction).inserted { kept.append(reaction) }
        }
        self.reactions = kept
    }

    /// One way to write an emoji: with U+FE0F behind each part that would be shown as text without it, and behind no other
    /// (UTS #51 §2.3, “fully-qualified”).
    ///
    /// What chooses emoji for programs differs in this: GTK's writes “👍” with it. To people both are the same.
    public static func qualified(_ emoji: String) -> String {
        let parts = emoji.unicodeScalars.filter { $0 != "\u{FE0E}" && $0 != "\u{FE0F}" }
        var written = String.UnicodeScalarView()
        for (part, next) in zip(parts, parts.dropFirst().map(Optional.some) + [nil]) {
            written.append(part)
            let isText = part.properties.isEmoji && !part.properties.isEmojiPresentation
            // A colour of skin asks for the picture, too. Digits are emoji only in a keycap.
            let isAsked = next?.properties.isEmojiModifier == true || (part.isASCII && next != "\u{20E3}")
            if isText, !isAsked { written.append("\u{FE0F}") }
        }
        return String(written)
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let texts = element.children.lazy.filter { $0.isNamed(Self.reactionName) }.map(\.text)
        self.init(Array(texts), to: try element.required("id"))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", messageID)
        for reaction in reactions { writer.element(Self.reactionName, text: reaction) }
        writer.end()
    }
}

extension Message {
    /// A message that reacts to another one, made so that archives keep it.
    public static func reaction(_ reactions: MessageReactions, to receiver: JID, type: Kind) -> Message {
        var message = Message(to: receiver, type: type)
        message.append(reactions)
        message.payloads.append(ProcessingHint.store)
        return message
    }
}

extension String {
    /// Whether the text is one emoji (UTS #51): one character that is shown as a picture, with or without U+FE0F.
    var isEmoji: Bool {
        guard utf8.count <= 64, let character = first, dropFirst().isEmpty,
            let scalar = character.unicodeScalars.first
        else { return false }
        if scalar.properties.isEmojiPresentation { return true }
        // Digits and `#` are emoji only with U+20E3 behind them.
        if scalar.isASCII { return unicodeScalars.contains("\u{20E3}") }
        return scalar.properties.isEmoji
    }
}
