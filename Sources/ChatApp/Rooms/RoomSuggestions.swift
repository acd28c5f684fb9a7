internal import ChatEngine
internal import ChatModel
internal import GTKBinding
internal import Localization

/// The public rooms that go on as typed, below the field.
final class RoomSuggestions {
    let root = ListBox().css("boxed-list").hidden()
    var onChoice: (RoomListing) -> Void = { _ in }
    private(set) var shown: [RoomListing] = []

    /// As many as leave the fields below in sight.
    private static let limit = 3

    init() {
        root.accessible(label: localized("Public rooms"))
        root.onActivate { [weak self] index in
            guard let self, self.shown.indices.contains(index) else { return }
            self.onChoice(self.shown[index])
        }
    }

    func show(_ model: RoomEntryModel) {
        let isTyping = !model.text.allSatisfy(\.isWhitespace) && model.question == nil
        var found = isTyping ? Array(model.suggestions.prefix(Self.limit)) : []
        if found.contains(where: { $0.address == model.address }) { found = [] }
        guard found != shown else { return }
        shown = found
        root.removeAll()
        for listing in found {
            let row = ActionRow(listing.name, subtitle: listing.address.description)
            row.onActivate {}
            root.append(row)
        }
        root.isVisible = !found.isEmpty
    }
}
