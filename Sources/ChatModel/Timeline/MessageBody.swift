internal import MessageFeatures

/// The text of a message taken apart for showing: styled pieces, links, direction, a few large emoji, or an action.
///
/// It is made for the rows that are on the screen, not for all that are in memory. Of a long text it has the beginning, so that the work
/// to make and to show it is bounded: see ``TextFold``.
public struct MessageBody: Hashable, Sendable {
    /// In which direction a paragraph runs, by its first letter (Unicode Standard Annex 9, P2 and P3).
    public enum Direction: Hashable, Sendable {
        case leftToRight, rightToLeft
        /// It has no letter: as the person's own language runs.
        case neutral
    }

    /// How a piece looks (XEP-0393).
    public struct Style: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let emphasis = Style(rawValue: 1 << 0)
        public static let strong = Style(rawValue: 1 << 1)
        public static let strikethrough = Style(rawValue: 1 << 2)
        public static let monospace = Style(rawValue: 1 << 3)
        /// One of the signs that begin or end a style: to be shown faintly.
        public static let sign = Style(rawValue: 1 << 4)
    }

    /// A piece of a line in one style.
    public struct Piece: Hashable, Sendable {
        public let text: String
        public let style: Style
        /// Where it leads.
        public let link: String?

        public init(text: String, style: Style, link: String? = nil) {
            self.text = text
            self.style = style
            self.link = link
        }
    }

    public enum Block: Hashable, Sendable {
        case line([Piece])
        /// Lines in a monospace font, with what their first line says about them.
        case preformatted(String, label: String)
        /// What somebody else said.
        case quotation([Block])
    }

    public let blocks: [Block]
    public let direction: Direction
    /// What the sender does, for `/me` (XEP-0245 §2): shown with the sender's name in front; ``blocks`` are of the rest.
    public let isAction: Bool
    /// How many emoji it consists of and nothing else, up to ``largeEmojiLimit``: few are shown large. Otherwise 0.
    public let emojiCount: Int

    /// It is not the whole text.
    public let isFolded: Bool

    /// More emoji than these are a text.
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

    /// All addresses in the text, in their order.
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
            // Marks that say it outright.
            case 0x200E: return .leftToRight
            case 0x200F, 0x061C: return .rightToLeft
            // Hebrew, Arabic, Syriac, Thaana, N'Ko and the other scripts that run from right to left.
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF:
                if scalar.properties.isAlphabetic { return .rightToLeft }
            default:
                if scalar.properties.isAlphabetic { return .leftToRight }
            }
        }
        return .neutral
    }

    static func emojiCount(of text: String) -> Int {
        // An emoji is at most some dozen code points; a text of thousands is none.
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
    /// Shown as a picture: by itself, or because a selector says so; not digits and signs that can be both.
    var isEmoji: Bool {
        guard let first = unicodeScalars.first else { return false }
        if first.properties.isEmojiPresentation { return true }
        let scalars = unicodeScalars.dropFirst()
        // A digit or sign with the enclosing keycap, or a sign with the emoji selector.
        return first.properties.isEmoji && scalars.contains { $0.value == 0xFE0F || $0.value == 0x20E3 }
    }
}

/// Makes the blocks of a ``MessageBody``, as many as a view can show at once.
struct BodyBuilder {
    /// Texts, blocks of code and quotations, each a widget of its own.
    static let blockLimit = 100
    /// Links after these are text.
    static let linkLimit = 50
    /// Pieces in a style of their own; what comes after these is shown in one.
    static let pieceLimit = 500
    /// Quotations within quotations; what is deeper stands in the last one.
    static let depthLimit = 4

    private var blocksLeft = Self.blockLimit
    private var linksLeft = Self.linkLimit
    private var piecesLeft = Self.pieceLimit
    /// There are more blocks than were made.
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
