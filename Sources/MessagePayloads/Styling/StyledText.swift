public import XMLStreaming
public import XMPPStanzas

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
/// Every text is valid: anything that is not a directive is text. The characters of the directives are in separate
/// spans, because it is recommended to show them (§8). Parsing takes time proportional to the length.
public struct StyledText: Sendable, Hashable {
    /// The style of a span.
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

    /// A piece of a line in one style.
    public struct Span: Sendable, Hashable {
        public var text: String
        public var style: Style
        /// Whether the text is a styling directive; it has the style itself.
        public var isDirective: Bool

        public init(_ text: String, _ style: Style = [], isDirective: Bool = false) {
            self.text = text
            self.style = style
            self.isDirective = isDirective
        }
    }

    /// Lines to be shown unchanged in a monospace font (§6.1.2).
    public struct Preformatted: Sendable, Hashable {
        /// The text after the three grave accents of the first line.
        public var label: String
        /// The lines between the first and the last, without the last line break.
        public var text: String
        /// Whether the block ends with a line of three grave accents, not just with the text around it.
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
        /// A quotation (§6.1.3).
        case quotation([Block])
    }

    /// The maximum depth of quotations; deeper ones are text. Views cannot show more, and a line of thousands of `>`
    /// must not cost more than another of its length.
    public static let maximumQuotationDepth = 16

    public var blocks: [Block]

    /// Reads the directives of a text.
    public init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        blocks = BlockReader(scalars).read()
    }

    /// A text without directives.
    public init(plain text: String) {
        blocks = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            .line($0.isEmpty ? [] : [Span(String($0))])
        }
    }
}

/// States that the text of the message has no styling (XEP-0393 Message Styling §7).
///
/// ```
/// C: <message><body>> _ <</body><unstyled xmlns='urn:xmpp:styling:0'/></message>
/// ```
public struct StylingDisabled: MessagePayload, EmptyPayload, Hashable {
    public static let name = XMLName("unstyled", "urn:xmpp:styling:0")

    public init() {}
}

extension Message {
    /// The body with its styling; plain if the sender has disabled it.
    ///
    /// - Parameter understood: the namespaces of the payloads whose fallback text is left out.
    public func styledBody(withoutFallbackFor understood: Set<String> = []) -> StyledText? {
        guard let body = body(withoutFallbackFor: understood) else { return nil }
        return payloads.contains(StylingDisabled.name) ? StyledText(plain: body) : StyledText(body)
    }
}

extension Message {
    /// The action of the sender, if the body begins with `/me ` (XEP-0245 The /me Command §2): `shrugs in disgust` for
    /// `/me shrugs in disgust`.
    ///
    /// Show it after the name of the sender, and so that it cannot be confused with a notice of the room (§5).
    public var action: String? {
        guard let body, body.utf8.starts(with: "/me ".utf8) else { return nil }
        // Counted in code points: a combining mark after the space belongs to the phrase.
        return String(body.unicodeScalars.dropFirst(4))
    }
}
