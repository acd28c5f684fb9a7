internal import MessageFeatures

/// The parsed text of a message for display: styled pieces, links, direction, a few large emoji, or an action.
///
/// It is created for visible rows, not for all in memory. Of a long text it holds the beginning, which bounds the work
/// of parsing and layout: see ``TextFold``.
public struct MessageBody: Hashable, Sendable {
    /// The direction of a paragraph, from its first letter (Unicode Standard Annex 9, P2 and P3).
    public enum Direction: Hashable, Sendable {
        case leftToRight, rightToLeft
        /// No letter; follows the user's language.
        case neutral
    }

    /// The style of a piece (XEP-0393).
    public struct Style: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let emphasis = Style(rawValue: 1 << 0)
        public static let strong = Style(rawValue: 1 << 1)
        public static let strikethrough = Style(rawValue: 1 << 2)
        public static let monospace = Style(rawValue: 1 << 3)
        /// A styling directive, to be shown dimmed.
        public static let sign = Style(rawValue: 1 << 4)
    }

    /// A piece of a line in one style.
    public struct Piece: Hashable, Sendable {
        public let text: String
        public let style: Style
        /// The target of the link.
        public let link: String?

        public init(text: String, style: Style, link: String? = nil) {
            self.text = text
            self.style = style
            self.link = link
        }
    }

    public enum Block: Hashable, Sendable {
        case line([Piece])
        /// Lines in a monospace font, with the label of their first line.
        case preformatted(String, label: String)
        /// A quotation of another message.
        case quotation([Block])
    }

    public let blocks: [Block]
    public let direction: Direction
    /// Whether it is an action of the sender (`/me`, XEP-0245 §2), shown after the sender's name; ``blocks`` hold the
    /// rest.
    public let isAction: Bool
    /// The number of emoji if there is nothing else, up to ``largeEmojiLimit``: few are shown large. Otherwise 0.
    public let emojiCount: Int

    /// Whether text was left out.
    public let isFolded: Bool

    /// More emoji than these are shown as text.
    public static let largeEmojiLimit = 6

    public init(_ text: String) {
        let fold = TextFold(text)
        isAction = text.utf8.starts(with: "/me ".utf8)
        // Counted in code points: a combining mark after the space belongs to the phrase.
        let shown = isAction ? String(fold.text.unicodeScalars.dropFirst(4)) : fold.text
        direction = Self.direction(of: shown)
        emojiCount = isAction || fold.isFolded ? 0 : Self.emojiCount(of: shown)
        var builder = BodyBuilder()
        blocks = builder.blocks(of: StyledText(shown).blocks)
        isFolded = fold.isFolded || builder.isCut
    }

    /// All links in the text, in order.
    public var links: [String] {
        func links(in blocks: [Block]) -> [String] {
            blocks.flatMap { (block: Block) -> [String] in
                switch block {
                case .line(let pieces): pieces.compactMap(\.link)
                case .preformatted: []
                case .quotation(let blocks): links(in: blocks)
                }
            }
        }
        return links(in: blocks)
    }

    static func direction(of text: String) -> Direction {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // Explicit direction marks.
            case 0x200E: return .leftToRight
            case 0x200F, 0x061C: return .rightToLeft
            // Hebrew, Arabic, Syriac, Thaana, N'Ko and the other right-to-left scripts.
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF:
                if scalar.properties.isAlphabetic { return .rightToLeft }
            default:
                if scalar.properties.isAlphabetic { return .leftToRight }
            }
        }
        return .neutral
    }

    static func emojiCount(of text: String) -> Int {
        // An emoji has at most some dozen code points, so a long text is not checked.
        guard text.utf8.count <= largeEmojiLimit * 64 else { return 0 }
        var count = 0
        for character in text where !character.isWhitespace {
            guard character.isEmoji else { return 0 }
            count += 1
            if count > largeEmojiLimit { return 0 }
        }
        return count
    }
}

extension Character {
    /// Shown as a picture: by default, or because of a variation selector; not digits and symbols that can be both.
    var isEmoji: Bool {
        guard let first = unicodeScalars.first else { return false }
        if first.properties.isEmojiPresentation { return true }
        let scalars = unicodeScalars.dropFirst()
        // A digit or symbol with the enclosing keycap or the emoji variation selector.
        return first.properties.isEmoji && scalars.contains { $0.value == 0xFE0F || $0.value == 0x20E3 }
    }
}

/// Creates the blocks of a ``MessageBody``, up to the limits of one view.
struct BodyBuilder {
    /// Texts, code blocks and quotations; each is a widget.
    static let blockLimit = 100
    /// Further links are shown as text.
    static let linkLimit = 50
    /// Further pieces are shown in one style.
    static let pieceLimit = 500
    /// Nested quotations; deeper ones are part of the last level.
    static let depthLimit = 4

    private var blocksLeft = Self.blockLimit
    private var linksLeft = Self.linkLimit
    private var piecesLeft = Self.pieceLimit
    /// Whether blocks were left out.
    private(set) var isCut = false

    mutating func blocks(of styled: [StyledText.Block], depth: Int = 0) -> [MessageBody.Block] {
        var blocks: [MessageBody.Block] = []
        var wasLine = false
        for block in styled {
            if case .line = block, wasLine {
            } else if blocksLeft == 0 {
                isCut = true
                break
            } else {
                blocksLeft -= 1
            }
            wasLine = false
            switch block {
            case .line(let spans):
                wasLine = true
                blocks.append(.line(pieces(of: spans)))
            case .preformatted(let block): blocks.append(.preformatted(block.text, label: block.label))
            case .quotation(let inner):
                let inside = self.blocks(of: inner, depth: depth + 1)
                if depth < Self.depthLimit { blocks.append(.quotation(inside)) } else { blocks += inside }
            }
        }
        return blocks
    }

    private mutating func pieces(of spans: [StyledText.Span]) -> [MessageBody.Piece] {
        var pieces: [MessageBody.Piece] = []
        var rest = ""
        for span in spans {
            if piecesLeft > 0 { append(span, to: &pieces) } else { rest += span.text }
        }
        if !rest.isEmpty { pieces.append(.init(text: rest, style: [])) }
        return pieces
    }

    private mutating func append(_ span: StyledText.Span, to pieces: inout [MessageBody.Piece]) {
        let style = MessageBody.Style(span)
        func append(_ text: Substring, link: String? = nil) {
            guard !text.isEmpty else { return }
            pieces.append(.init(text: String(text), style: style, link: link))
            piecesLeft -= 1
        }
        guard !span.isDirective, !style.contains(.monospace), linksLeft > 0 else { return append(span.text[...]) }
        var start = span.text.startIndex
        for range in LinkFinder(span.text).ranges.prefix(linksLeft) {
            linksLeft -= 1
            append(span.text[start..<range.lowerBound])
            append(span.text[range], link: LinkFinder.target(of: String(span.text[range])))
            start = range.upperBound
        }
        append(span.text[start...])
    }
}

extension MessageBody.Style {
    init(_ span: StyledText.Span) {
        self = []
        if span.style.contains(.emphasis) { insert(.emphasis) }
        if span.style.contains(.strong) { insert(.strong) }
        if span.style.contains(.strikethrough) { insert(.strikethrough) }
        if span.style.contains(.preformatted) { insert(.monospace) }
        if span.isDirective { insert(.sign) }
    }
}
