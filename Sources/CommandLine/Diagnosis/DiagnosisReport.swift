internal import TerminalApp

/// Lays the hops of a diagnosis out for a terminal: rows of spans that are never wider than the columns.
struct DiagnosisReport {
    typealias Row = TerminalScreen.Row

    private let columns: Int
    private let labelWidth: Int

    /// Beyond this a line is tiring to read, however wide the terminal is.
    private static let widest = 100
    private static let gap = "  "

    init(columns: Int) {
        self.columns = min(max(columns, 40), Self.widest)
        labelWidth = DiagnosisPlace.allCases.map { DisplayWidth.of($0.label.text) }.max() ?? 0
    }

    /// The rows of one hop, or of several that were skipped for one reason.
    func rows(_ hops: [any DiagnosisHop]) -> [Row] {
        guard let first = hops.first else { return [] }
        guard hops.count > 1, let skipped = first as? SkippedHop else { return hops.flatMap(rows(of:)) }
        let names = Phrase.list(hops.map(\.place.label))
        let text = Phrase("not looked at: %@ (%@)", names, skipped.reason).text
        return wrapped(text, style: .dim, first: [.init(text: Self.sign(.skipped) + " ", style: .dim)], indent: 2)
    }

    private func rows(of hop: any DiagnosisHop) -> [Row] {
        let label = DisplayWidth.padded(hop.place.label.text, to: labelWidth) + Self.gap
        let indent = 2 + DisplayWidth.of(label)
        let begin: Row = [
            .init(text: Self.sign(hop.outcome) + " ", style: Self.style(hop.outcome)), .init(text: label, style: .bold),
        ]
        let time = hop.duration.map { Self.gap + $0.words } ?? ""
        var rows = wrapped(
            hop.summary.text, style: hop.outcome == .skipped ? .dim : .plain, first: begin, indent: indent,
            reserving: DisplayWidth.of(time))
        if !time.isEmpty, !rows.isEmpty {
            let used = rows[0].reduce(0) { $0 + DisplayWidth.of($1.text) }
            let room = String(repeating: " ", count: max(0, columns - used - DisplayWidth.of(time)))
            rows[0].append(.init(text: room + time, style: .dim))
        }
        let margin = String(repeating: " ", count: indent)
        for detail in hop.details {
            let mark = detail.outcome.map { Self.sign($0) + " " } ?? ""
            let style = detail.outcome.map(Self.style) ?? .dim
            rows += wrapped(
                detail.phrase.text, style: detail.outcome == nil ? .dim : .plain,
                first: [.init(text: margin), .init(text: mark, style: style)], indent: indent + DisplayWidth.of(mark))
        }
        if let problem = hop.problem {
            rows += wrapped(
                problem.reason.text, style: .warning, first: [.init(text: margin)], indent: indent)
            rows += wrapped(
                problem.advice.text, style: .bold, first: [.init(text: margin + "→ ")], indent: indent + 2)
        }
        return rows
    }

    /// The last row.
    func conclusion(_ diagnosis: Diagnosis) -> Row {
        let time = diagnosis.duration.words
        guard let failure = diagnosis.firstFailure else {
            let hasWarnings = diagnosis.hops.contains { $0.outcome == .warning }
            let text =
                hasWarnings
                ? Phrase("It works; %@ is worth a look. (%@)", Self.sign(.warning), time)
                : Phrase("All well. (%@)", time)
            return [.init(text: text.text, style: .bold)]
        }
        return [.init(text: Phrase("The first thing to mend: %@. (%@)", failure.place.label, time).text, style: .bold)]
    }

    /// Text in lines below each other; the first one behind what is there already.
    private func wrapped(
        _ text: String, style: TerminalScreen.Style, first: Row, indent: Int, reserving reserved: Int = 0
    ) -> [Row] {
        let lines = TextWrapping.lines(of: text, columns: columns - indent - reserved)
        return lines.enumerated().map { number, line in
            let margin: Row = number == 0 ? first : [.init(text: String(repeating: " ", count: indent))]
            return margin + [.init(text: line, style: style)]
        }
    }

    static func sign(_ outcome: DiagnosisOutcome) -> String {
        switch outcome {
        case .passed: "✓"
        case .warning: "!"
        case .failed: "✗"
        case .skipped: "–"
        }
    }

    private static func style(_ outcome: DiagnosisOutcome) -> TerminalScreen.Style {
        switch outcome {
        case .passed: .theirs
        case .warning: .warning
        case .failed: .failure
        case .skipped: .dim
        }
    }
}
