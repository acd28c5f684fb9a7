/// The text of a message with its styling, as a value that a view can show (XEP-0393 Message Styling).
///
///     for block in StyledText("The *first* line\n> a quotation").blocks {
///         switch block {
///         case .line(let spans): …          // spans[1] is `*`, spans[2] is `first` in strong
///         case .preformatted(let block): …
///         case .quotation(let blocks): …    // blocks within blocks
///         }
///     }
///
/// Every text can be read: what is not a directive is text. The characters of the directives are kept in spans of their
/// own, because it is recommended to show them (§8). Reading takes time in proportion to the text.
public struct StyledText: Sendable, Hashable {
    /// How a span is to be shown.
    public struct Style: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `_italic_` (§6.2.2)
        public static let emphasis = Style(rawValue: 1 << 0)
        /// `*bold*` (§6.2.3)
        public static let strong = Style(rawValue: 1 << 1)
        /// `~struck through~` (§6.2.4)
        public static let strikethrough = Style(rawValue: 1 << 2)
        /// Monospace, between grave accents (§6.2.5)
        public static let preformatted = Style(rawValue: 1 << 3)
    }

    /// A piece of a line, all of it in one style.
    public struct Span: Sendable, Hashable {
        public var text: String
        public var style: Style
        /// Whether the text is one of the characters that begin or end a style; it has the style itself.
        public var isDirective: Bool

        public init(_ text: String, _ style: Style = [], isDirective: Bool = false) {
            self.text = text
            self.style = style
            self.isDirective = isDirective
        }
    }

    /// Lines to be shown as they are, in a monospace font (§6.1.2).
    public struct Preformatted: Sendable, Hashable {
        /// What follows the three grave accents of the first line.
        public var label: String
        /// The lines between the first and the last, without the end of the last of them.
        public var text: String
        /// Whether a line of three grave accents ends the block, and not only the end of the text around it.
        public var isClosed: Bool

        public init(label: String, text: String, isClosed: Bool) {
            self.label = label
            self.text = text
            self.isClosed = isClosed
        }
    }

    public enum Block: Sendable, Hashable {
        /// One line.
        case line([Span])
        case preformatted(Preformatted)
        /// What somebody else said (§6.1.3).
        case quotation([Block])
    }

    /// How deep quotations are read; what is deeper is text. Nobody can show more, and a line of thousands of `>` must
    /// not cost more than another of its length.
    public static let maximumQuotationDepth = 16

    public var blocks: [Block]

    /// Reads the directives of a text.
    public init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        blocks = BlockReader(scalars).read()
    }

    /// A text in which no character is a directive.
    public init(plain text: String) {
        blocks = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            .line($0.isEmpty ? [] : [Span(String($0))])
        }
    }
}
