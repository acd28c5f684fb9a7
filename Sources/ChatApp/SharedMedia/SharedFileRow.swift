internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// A voice message or file among others: from whom and when, itself as the conversation shows it, and what can be done with it.
final class SharedFileRow: ListRow {
    let root: Widget
    private(set) var item: SharedMediaItem?
    private(set) var view: (any AttachmentView)?
    var onMenu: (SharedMediaItem, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private let wishes: SharedMediaWishes
    private let sender = Label().ellipsize().characters(maximum: 24).textAlignment(0).css("caption-heading")
    private let time = Label().css("dim-label", "caption")
    private let place = Bin().expand(.horizontal).css("shared-file")
    private let more = Button(icon: "view-more-symbolic").css("flat", "circular", "contact-more").align(
        vertical: .center)

    /// So many characters of a file's name are shown where there is room.
    private static let widestName = 60

    init(_ wishes: SharedMediaWishes) {
        self.wishes = wishes
        let line = Box.horizontal(spacing: 8, sender, time.align(vertical: .baseline))
        let column = Box.vertical(spacing: 4, line, place).expand(.horizontal)
        root = Box.horizontal(spacing: 6, column, more).margins(horizontal: 10, vertical: 6)
        time.tip(whenAsked: { [weak self] in self?.item.map { Wording.full($0.message.time) } })
        root.onMenu { [weak self] x, y in
            if let self, let item = self.item { self.onMenu(item, self.root, x, y) }
        }
        more.onClick { [weak self] in
            guard let self, let item = self.item else { return }
            self.onMenu(item, self.more, Double(self.more.width) / 2, Double(self.more.height))
        }
    }

    func show(_ item: SharedMediaItem) {
        let isOther = self.item.map { !Self.looksAlike($0, item) } ?? true
        self.item = item
        sender.text = SharedMediaWords.sender(item)
        time.text = Wording.short(item.message.time)
        root.accessible(label: SharedMediaWords.spoken(item))
        more.named(localized("What can be done with %@", item.attachment.name ?? SharedMediaWords.sender(item)))
        if isOther { showFile(item) }
    }

    /// How far a voice message was played is said by who plays it; only whether it was played at all stands in the message.
    private static func looksAlike(_ old: SharedMediaItem, _ new: SharedMediaItem) -> Bool {
        var (left, right) = (old.attachment, new.attachment)
        if left.playback != nil, right.playback != nil { right.playback = left.playback }
        left.thumbnail = right.thumbnail
        return old.id == new.id && left == right && old.message.state == new.message.state
    }

    private func showFile(_ item: SharedMediaItem) {
        view?.clear()
        let hadFocus = place.containsFocus
        let place = AttachmentPlace(
            message: item.message, index: item.index, attachment: item.attachment,
            playback: wishes.source.playback, download: wishes.download(of: item),
            open: { [wishes] _, _ in wishes.open(item) })
        let view: any AttachmentView =
            item.attachment.kind == .voice ? VoiceView(place) : FileView(place, characters: Self.widestName)
        self.view = view
        self.place.show(view.root)
        if hadFocus { focus() }
    }

    /// The keyboard goes to what opens or plays it.
    private func focus() { ((view as? VoiceView)?.button ?? view?.root)?.grabFocus() }

    /// As a click on it does.
    func activate() {
        if let voice = view as? VoiceView { voice.button.click() } else if let item { wishes.open(item) }
    }

    func clear() {
        view?.clear()
        view = nil
        place.show(nil)
        item = nil
    }
}
