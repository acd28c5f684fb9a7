internal import MessageFeatures

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
