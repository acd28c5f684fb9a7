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

    /// Each level looks at each of its lines once and cuts its front off, without copying it.
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
