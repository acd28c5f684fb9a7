internal import ChatModel
internal import ChatStore
internal import JSONRPC
internal import TerminalApp

/// The state of the file with the conversations, as rows and as JSON.
struct StoreDiagnosis: Sendable {
    enum Outcome: String, Sendable {
        case passed, warning, failed

        var mark: String {
            switch self {
            case .passed: "✓"
            case .warning: "!"
            case .failed: "✗"
            }
        }

        var style: TerminalScreen.Style {
            switch self {
            case .passed: .theirs
            case .warning: .warning
            case .failed: .failure
            }
        }
    }

    struct Row: Sendable {
        var outcome: Outcome
        var label: Phrase
        var text: Phrase
    }

    let path: String
    let found: StoreInspection

    var isTooNew: Bool { (found.schema ?? 0) > found.newestSchema }
    var isWell: Bool { found.problems.isEmpty && !isTooNew }

    var rows: [Row] {
        var rows = [Row(outcome: .passed, label: Phrase("file"), text: .verbatim(path)), size, schema]
        guard !isTooNew else { return rows }
        rows.append(integrity)
        guard found.problems.isEmpty else { return rows }
        rows.append(
            Row(
                outcome: .passed, label: Phrase("content"),
                text: Phrase(
                    "accounts: %@, conversations: %@, messages: %@, waiting to be sent: %@", found.accounts,
                    found.conversations, found.messages, found.queued)))
        rows.append(
            found.unindexed == 0
                ? Row(outcome: .passed, label: Phrase("search"), text: Phrase("every message is in the index"))
                : Row(
                    outcome: .warning, label: Phrase("search"),
                    text: Phrase(
                        "%@ message is not in the index yet: searching it is slower until the next start adds it",
                        plural:
                            "%@ messages are not in the index yet: searching them is slower until the next start adds them",
                        count: Int(clamping: found.unindexed))))
        if found.wasNotClosed {
            rows.append(
                Row(
                    outcome: .warning, label: Phrase("last use"),
                    text: Phrase("the last program ended without closing the file; nothing was lost")))
        }
        return rows
    }

    private var size: Row {
        let log = found.logSize
        return Row(
            outcome: .passed, label: Phrase("size"),
            text: log == 0
                ? .verbatim(Wording.size(found.fileSize))
                : Phrase("%@, and %@ in the log", Wording.size(found.fileSize), Wording.size(log)))
    }

    private var schema: Row {
        let label = Phrase("schema")
        guard let schema = found.schema else {
            return Row(outcome: .failed, label: label, text: Phrase("cannot be read"))
        }
        if schema > found.newestSchema {
            return Row(
                outcome: .failed, label: label,
                text: Phrase(
                    "%@, from a newer version of this program; this one supports up to %@: use the newer one", schema,
                    found.newestSchema))
        }
        if schema < found.newestSchema {
            return Row(
                outcome: .warning, label: label,
                text: Phrase("%@; the next start upgrades it to %@", schema, found.newestSchema))
        }
        return Row(outcome: .passed, label: label, text: Phrase("%@, the newest", schema))
    }

    private var integrity: Row {
        let label = Phrase("integrity")
        guard let first = found.problems.first else {
            return Row(outcome: .passed, label: label, text: Phrase("nothing is damaged"))
        }
        return Row(
            outcome: .failed, label: label,
            text: Phrase(
                "damaged: %@. The next start renames the file and recovers what can be read.",
                Phrase.verbatim(first)))
    }

    /// The JSON object; its texts are English in every language.
    var json: JSONValue {
        [
            "event": "store", "path": .string(path), "well": .bool(isWell), "schema": .count(found.schema),
            "newestSchema": .count(found.newestSchema), "bytes": .count(found.fileSize),
            "logBytes": .count(found.logSize), "accounts": .count(found.accounts),
            "conversations": .count(found.conversations), "messages": .count(found.messages),
            "queued": .count(found.queued), "unindexed": .count(found.unindexed),
            "closed": .bool(!found.wasNotClosed),
            "problems": .array(found.problems.map(JSONValue.string)),
        ]
    }

    /// The rows, wrapped to the width of the terminal.
    func lines(columns: Int) -> [TerminalScreen.Row] {
        let width = rows.map { DisplayWidth.of($0.label.text) }.max() ?? 0
        let indent = width + 4
        return rows.flatMap { row -> [TerminalScreen.Row] in
            let texts = TextWrapping.lines(of: row.text.text, columns: max(10, columns - indent))
            return texts.enumerated().map { index, text in
                guard index == 0 else {
                    return [.init(text: String(repeating: " ", count: indent)), .init(text: text)]
                }
                return [
                    .init(text: row.outcome.mark + " ", style: row.outcome.style),
                    .init(text: DisplayWidth.padded(row.label.text, to: width) + "  ", style: .bold),
                    .init(text: text),
                ]
            }
        }
    }
}
