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
/// They replace the earlier reactions of the sender; an empty set removes them.
public struct MessageReactions: MessagePayload, Hashable {
    public static let name = XMLName("reactions", "urn:xmpp:reactions:0")
    private static let reactionName = XMLName("reaction", name.namespace)

    /// The maximum number of reactions of one person to one message; the rest is dropped. A stranger must not fill a
    /// screen with one message.
    public static let maximumCount = 32

    /// The identifier of the message reacted to: `MessageIdentity.Purpose.reaction` of MessageSemantics.
    public var messageID: String
    /// Each is one emoji, without duplicates, in the form of ``qualified(_:)``.
    public let reactions: [String]

    /// - Parameter reactions: duplicates, and texts that are not emoji, are left out (§4).
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

    /// The canonical form of an emoji: with U+FE0F after each part that would be shown as text without it, and nowhere
    /// else (UTS #51 §2.3, “fully-qualified”).
    ///
    /// Emoji choosers differ in this: GTK's adds it to “👍”. To users both are the same.
    public static func qualified(_ emoji: String) -> String {
        let parts = emoji.unicodeScalars.filter { $0 != "\u{FE0E}" && $0 != "\u{FE0F}" }
        var written = String.UnicodeScalarView()
        for (part, next) in zip(parts, parts.dropFirst().map(Optional.some) + [nil]) {
            written.append(part)
            let isText = part.properties.isEmoji && !part.properties.isEmojiPresentation
            // A skin tone modifier also selects the picture. Digits are emoji only in a keycap.
            let isAsked = next?.properties.isEmojiModifier == true || (part.isASCII && next != "\u{20E3}")
            if isText, !isAsked { written.append("\u{FE0F}") }
        }
        return String(written)
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let texts = element.children.lazy.filter { $0.isNamed(Self.reactionName) }.map(\.text)
        self.init(Array(texts), to: try element.identifier("id"))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", messageID)
        for reaction in reactions { writer.element(Self.reactionName, text: reaction) }
        writer.end()
    }
}

extension Message {
    /// Creates a message that reacts to another one, such that archives store it.
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
