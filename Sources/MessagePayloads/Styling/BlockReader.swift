/// Divides a text into the blocks of XEP-0393 §6.1: lines, preformatted blocks and quotations within quotations.
struct BlockReader {
    private static let fence: [Unicode.Scalar] = ["`", "`", "`"]

    private let scalars: [Unicode.Scalar]

    init(_ scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    func read() -> [StyledText.Block] {
        let lines = scalars.split(separator: "\n", omittingEmptySubsequences: false)
        return blocks(lines[...], depth: 0)
    }

    /// Each level examines each of its lines once and cuts off its prefix without copying.
    private func blocks(_ lines: ArraySlice<ArraySlice<Unicode.Scalar>>, depth: Int) -> [StyledText.Block] {
        var blocks: [StyledText.Block] = []
        var rest = lines
        while let line = rest.first {
            if line.starts(with: Self.fence) {
                blocks.append(.preformatted(preformatted(&rest)))
            } else if line.first == ">", depth < StyledText.maximumQuotationDepth {
                let quoted = rest.prefix { $0.first == ">" }
                rest = rest[quoted.endIndex...]
                blocks.append(.quotation(self.blocks(quoted.map(Self.withoutSign)[...], depth: depth + 1)))
            } else {
                var reader = SpanReader(line)
                blocks.append(.line(reader.read()))
                rest.removeFirst()
            }
        }
        return blocks
    }

    private func preformatted(
        _ rest: inout ArraySlice<ArraySlice<Unicode.Scalar>>
    ) -> StyledText.Preformatted {
        let label = rest.removeFirst().dropFirst(Self.fence.count)
        let content = rest.prefix { !$0.elementsEqual(Self.fence) }
        rest = rest[content.endIndex...]
        let isClosed = rest.popFirst() != nil
        return StyledText.Preformatted(
            label: String(label), text: String(content.joined(separator: CollectionOfOne("\n"))), isClosed: isClosed)
    }

    /// The line without the `>` and the first white space after it.
    private static func withoutSign(_ line: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        let rest = line.dropFirst()
        return rest.first?.isStylingSpace == true ? rest.dropFirst() : rest
    }
}

extension String {
    init(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}

extension Unicode.Scalar {
    /// White space as XEP-0393 §4 means it: the property White_Space, or category Z.
    var isStylingSpace: Bool {
        if isASCII { return self == " " || (self >= "\t" && self <= "\r") }
        if properties.isWhitespace { return true }
        return switch properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// Divides a line into the spans of XEP-0393 §6.2, in one pass.
///
/// A directive opens a span at the beginning of its parent, after white space or after another opening directive, if no
/// white space follows and the next directive of the same kind that can close does not follow directly. A directive can
/// close if no white space precedes it. The search for the next one only moves forward, so a line full of unmatched
/// directives costs no more than another.
struct SpanReader {
    private static let kinds: [(directive: Unicode.Scalar, style: StyledText.Style)] = [
        ("_", .emphasis), ("*", .strong), ("~", .strikethrough), ("`", .preformatted),
    ]

    private let line: ArraySlice<Unicode.Scalar>
    private var spans: [StyledText.Span] = []
    /// For each kind, a position before which no directive can close.
    private var nextCloser: [Int]

    init(_ line: ArraySlice<Unicode.Scalar>) {
        self.line = line
        nextCloser = Array(repeating: line.startIndex, count: Self.kinds.count)
    }

    mutating func read() -> [StyledText.Span] {
        read(line.indices, [])
        return spans
    }

    /// A span contains no other of the same kind, so the recursion depth is the number of kinds.
    private mutating func read(_ range: Range<Int>, _ style: StyledText.Style) {
        var position = range.lowerBound
        var plainStart = position
        var mayOpen = true
        while position < range.upperBound {
            let scalar = line[position]
            guard mayOpen, let kind = Self.kinds.firstIndex(where: { $0.directive == scalar }),
                position + 1 < range.upperBound, !line[position + 1].isStylingSpace
            else {
                mayOpen = scalar.isStylingSpace
                position += 1
                continue
            }
            let closer = closer(of: kind, after: position)
            guard closer < range.upperBound, closer > position + 1 else {
                // Two directives with nothing in between are text (§6.2).
                mayOpen = false
                position += closer == position + 1 ? 2 : 1
                continue
            }
            append(plainStart..<position, style)
            let inner = style.union(Self.kinds[kind].style)
            append(position..<position + 1, inner, isDirective: true)
            if Self.kinds[kind].style == .preformatted {
                append(position + 1..<closer, inner)
            } else {
                read(position + 1..<closer, inner)
            }
            append(closer..<closer + 1, inner, isDirective: true)
            position = closer + 1
            plainStart = position
            mayOpen = false
        }
        append(plainStart..<range.upperBound, style)
    }

    /// The next place after `position` where a span of that kind can end; the end of the line if there is none.
    private mutating func closer(of kind: Int, after position: Int) -> Int {
        var place = max(nextCloser[kind], position + 1)
        while place < line.endIndex,
            line[place] != Self.kinds[kind].directive || line[place - 1].isStylingSpace
        {
            place += 1
        }
        nextCloser[kind] = place
        return place
    }

    private mutating func append(_ range: Range<Int>, _ style: StyledText.Style, isDirective: Bool = false) {
        guard !range.isEmpty else { return }
        spans.append(StyledText.Span(String(line[range]), style, isDirective: isDirective))
    }
}
