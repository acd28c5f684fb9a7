internal import TerminalApp

/// The layout of a diagnosis on a terminal: rows of spans that never exceed its width.
struct DiagnosisReport {
    typealias Row = TerminalScreen.Row

    private let columns: Int
    private let labelWidth: Int

    /// Longer lines are hard to read, however wide the terminal is.
    private static let widest = 100
    private static let gap = "  "

    init(columns: Int) {
        self.columns = min(max(columns, 40), Self.widest)
        labelWidth = DiagnosisStep.allCases.map { DisplayWidth.of($0.label.text) }.max() ?? 0
    }

    /// The rows of one check, or of several that were skipped for the same reason.
    func rows(_ checks: [any DiagnosisCheck]) -> [Row] {
        guard let first = checks.first else { return [] }
        guard checks.count > 1, let skipped = first as? SkippedCheck else { return checks.flatMap(rows(of:)) }
        let names = Phrase.list(checks.map(\.step.label))
        let text = Phrase("skipped: %@ (%@)", names, skipped.reason).text
        return wrapped(text, style: .dim, first: [.init(text: Self.sign(.skipped) + " ", style: .dim)], indent: 2)
    }

    private func rows(of check: any DiagnosisCheck) -> [Row] {
        let label = DisplayWidth.padded(check.step.label.text, to: labelWidth) + Self.gap
        let indent = 2 + DisplayWidth.of(label)
        let begin: Row = [
            .init(text: Self.sign(check.outcome) + " ", style: Self.style(check.outcome)),
            .init(text: label, style: .bold),
        ]
        let time = check.duration.map { Self.gap + $0.text } ?? ""
        var rows = wrapped(
            check.summary.text, style: check.outcome == .skipped ? .dim : .plain, first: begin, indent: indent,
            reserving: DisplayWidth.of(time))
        if !time.isEmpty, !rows.isEmpty {
            let used = rows[0].reduce(0) { $0 + DisplayWidth.of($1.text) }
            let room = String(repeating: " ", count: max(0, columns - used - DisplayWidth.of(time)))
            rows[0].append(.init(text: room + time, style: .dim))
        }
        let margin = String(repeating: " ", count: indent)
        for detail in check.details {
            let mark = detail.outcome.map { Self.sign($0) + " " } ?? ""
            let style = detail.outcome.map(Self.style) ?? .dim
            rows += wrapped(
                detail.phrase.text, style: detail.outcome == nil ? .dim : .plain,
                first: [.init(text: margin), .init(text: mark, style: style)], indent: indent + DisplayWidth.of(mark))
        }
        if let problem = check.problem {
            rows += wrapped(
                problem.reason.text, style: .warning, first: [.init(text: margin)], indent: indent)
            rows += wrapped(
                problem.advice.text, style: .bold, first: [.init(text: margin + "→ ")], indent: indent + 2)
        }
        return rows
    }

    /// The last row.
    func conclusion(_ diagnosis: Diagnosis) -> Row {
        let time = diagnosis.duration.text
        guard let failure = diagnosis.firstFailure else {
            let hasWarnings = diagnosis.checks.contains { $0.outcome == .warning }
            let text =
                hasWarnings
                ? Phrase("It works; see the items marked %@. (%@)", Self.sign(.warning), time)
                : Phrase("All well. (%@)", time)
            return [.init(text: text.text, style: .bold)]
        }
        return [
            .init(text: Phrase("The first problem to solve: %@. (%@)", failure.step.label, time).text, style: .bold)
        ]
    }

    /// Wrapped text; the first line continues the current row.
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
