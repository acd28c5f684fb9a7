internal import ChatModel
internal import GTKBinding
internal import Localization

/// What is asked by somebody whose page it is.
final class ContactRequestGroup {
    let root: PreferencesGroup
    var onAccept: () -> Void = {}
    var onDecline: () -> Void = {}
    private let words = Label().wrap(maximumCharacters: 40).textAlignment(0)
    private let accept = Button(localized("_Accept")).css("suggested-action")
    private let decline = Button(localized("_Decline"))

    init() {
        let buttons = Box.horizontal(spacing: 8, accept, decline)
        root = PreferencesGroup(
            "", description: nil, [Box.vertical(spacing: 10, words, buttons).css("card", "contact-card")])
        accept.onClick { [weak self] in self?.onAccept() }
        decline.onClick { [weak self] in self?.onDecline() }
    }

    func show(_ model: ContactModel) {
        root.isVisible = model.request != nil
        guard let request = model.request else { return }
        let asks = localized("%@ asks to be your contact", model.name)
        words.text = request.text.map { "\(asks): “\($0)”" } ?? asks
    }

    func isSensitive(_ isSensitive: Bool) { root.isSensitive = isSensitive }
}
