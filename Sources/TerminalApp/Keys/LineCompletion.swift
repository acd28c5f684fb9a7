internal import ChatModel
internal import ChatStore
internal import Localization

/// Completes commands, files, and the names of contacts and occupants.
@MainActor
struct LineCompletion {
    let models: AccountModels
    let console: ChatConsole

    /// - Returns: whether a message, and not a command, was completed.
    func complete() -> Bool {
        let line = console.input.string
        guard line.hasPrefix("/") else { return completeNickname(in: line) }
        guard let space = line.firstIndex(where: \.isWhitespace) else {
            offer(ChatCommand.completions(of: line)) { $0 + " " }
            return false
        }
        let head = String(line[...space])
        let typed = String(line[line.index(after: space)...])
        switch ChatCommand.named(line[..<space])?.completion {
        case .file:
            let (text, choices) = PathCompletion.complete(typed)
            console.input.replace(with: head + text)
            if text == typed { show(choices) }
        case .contact: offer(models.contacts.completions(of: typed)) { head + $0 }
        case .occupant:
            let names = models.conversation?.room?.nicknames ?? []
            offer(names.filter { $0.lowercased().hasPrefix(typed.lowercased()) }.sorted()) { head + $0 }
        case nil: break
        }
        return false
    }

    private func completeNickname(in line: String) -> Bool {
        guard let room = models.conversation?.room, console.input.cursor == line.count,
            let completion = MentionCompletion(in: line, at: line.endIndex, of: room.nicknames)
        else { return false }
        offer(completion.candidates) { line[..<completion.range.lowerBound] + completion.replacement(for: $0) }
        return true
    }

    /// Inserts the only completion, or shows all of them.
    private func offer(_ choices: [String], _ whole: (String) -> String) {
        if choices.count == 1 { return console.input.replace(with: whole(choices[0])) }
        show(choices)
    }

    /// The maximum number of completions that are shown.
    private static let choiceLimit = 20

    private func show(_ choices: [String]) {
        guard !choices.isEmpty else { return }
        let shown = choices.prefix(Self.choiceLimit).joined(separator: "  ")
        let more = choices.count - Self.choiceLimit
        console.showNotice(
            more > 0 ? shown + localized("  … and %@ more", plural: "  … and %@ more", count: more) : shown)
    }
}
