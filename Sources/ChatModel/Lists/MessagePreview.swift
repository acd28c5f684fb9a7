public import ChatStore
internal import MessageFeatures

/// A message in one line: for the list of conversations, quotations and notifications.
public struct MessagePreview: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case text
        /// What the sender does (XEP-0245); show the name in front.
        case action
        case picture, voice, video, file
        /// It was taken back; there is no text.
        case retracted
        /// It is encrypted and could not be opened here; there is no text.
        case notOpened
    }

    public var kind: Kind
    /// The text without line breaks and signs of styling; the name of a file where there is no text. Names of
    /// pictures are those of cameras and programs and say nothing.
    public var text: String
    /// What the sender is called; for one's own messages too.
    public var senderName: String
    public var isOutgoing: Bool
    public var state: MessageState

    public init(kind: Kind, text: String, senderName: String, isOutgoing: Bool, state: MessageState) {
        self.kind = kind
        self.text = text
        self.senderName = senderName
        self.isOutgoing = isOutgoing
        self.state = state
    }

    /// So many characters are shown at most; no line shows more.
    static let lengthLimit = 200

    init(_ message: StoredMessage, senderName: String) {
        self.init(
            kind: Self.kind(of: message), text: "", senderName: senderName, isOutgoing: message.isOutgoing,
            state: message.state)
        switch kind {
        case .retracted, .notOpened: break
        case .action: text = Self.line(message.text.body, without: 4)
        case .text: text = Self.line(message.text.body)
        case .picture, .voice, .video: text = Self.line(message.text.body)
        case .file:
            text = Self.line(message.text.body)
            if text.isEmpty { text = Self.joined(TextFold(message.text.attachments.first?.name ?? "", .line).text) }
        }
    }

    private static func kind(of message: StoredMessage) -> Kind {
        if message.isRetracted { return .retracted }
        if message.protection.isNotOpened { return .notOpened }
        switch message.text.attachments.first?.kind {
        case .picture: return .picture
        case .voice: return .voice
        case .video: return .video
        case .file: return .file
        case nil: return message.text.body.utf8.starts(with: "/me ".utf8) ? .action : .text
        }
    }

    /// A text in one line, without the directives of XEP-0393, and without what it quotes if it says anything itself.
    ///
    /// - Parameter start: so many code points at the beginning are not part of it.
    static func line(_ text: String, without start: Int = 0) -> String {
        // A preview of a long text must not cost what the text costs.
        let beginning = TextFold(text, .line).text.unicodeScalars.dropFirst(start)
        let blocks = StyledText(String(beginning)).blocks
        var own = ""
        append(blocks, quotations: false, to: &own)
        if !own.contains(where: { !$0.isWhitespace }) { append(blocks, quotations: true, to: &own) }
        return joined(own)
    }

    private static func append(_ blocks: [StyledText.Block], quotations: Bool, to text: inout String) {
        for block in blocks {
            switch block {
            case .line(let spans):
                for span in spans where !span.isDirective { text += span.text }
                text += " "
            case .preformatted(let block): text += block.text + " "
            case .quotation(let blocks): if quotations { append(blocks, quotations: true, to: &text) }
            }
        }
    }

    private static func joined(_ text: String) -> String {
        var line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if line.count > lengthLimit { line = String(line.prefix(lengthLimit)) + "…" }
        return line
    }
}
