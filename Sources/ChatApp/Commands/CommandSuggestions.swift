internal import ChatEngine
internal import ChatModel

/// The commands of a bot as suggestions for a text that begins with "/".
final class CommandSuggestions {
    /// Starts a command.
    let show: (CommandService.Offer) -> Void

    private let model: CommandModel
    /// Whether the other side may be asked for its commands.
    private let isAllowed: () -> Bool
    /// Whether the list was requested since the text began with "/". It is requested once for each such text.
    private var hasAsked = false

    /// The longest text that can begin the name of a command, in characters.
    private static let lengthLimit = 100

    init(
        _ model: CommandModel, isAllowed: @escaping () -> Bool, show: @escaping (CommandService.Offer) -> Void
    ) {
        self.model = model
        self.isAllowed = isAllowed
        self.show = show
    }

    /// Suggests the commands that a text can begin.
    ///
    /// - Returns: whether the text begins a command.
    func suggest(for text: String, at cursor: String.Index, in bar: CompletionBar) -> Bool {
        guard text.first == "/", cursor == text.endIndex, text.count <= Self.lengthLimit else {
            hasAsked = false
            return false
        }
        if !hasAsked, isAllowed() {
            hasAsked = true
            Task { [model, weak bar] in
                await model.load()
                bar?.complete()
            }
        }
        let begun = text.dropFirst().lowercased()
        let offers = model.offers.filter { offer in
            offer.name.lowercased().hasPrefix(begun) || offer.node.lowercased().hasPrefix(begun)
        }
        guard !offers.isEmpty else { return false }
        bar.show(.command(text.startIndex..<cursor, offers))
        return true
    }
}
