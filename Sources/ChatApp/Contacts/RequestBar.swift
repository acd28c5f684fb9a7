internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Says at the lower edge of the window, wherever the person is, who asks to be a contact; one after the other.
final class RequestBar {
    let root: Widget
    private let contacts: ContactList
    private let accounts: AccountList
    private let makeWishes: (ContactRow.ID) -> ContactWishes?
    private let picture: PersonPicture
    private let title = Label().ellipsize().textAlignment(0).css("heading")
    private let words = Label().ellipsize().textAlignment(0).css("dim-label")
    private let more = Label().ellipsize().textAlignment(0).css("caption", "dim-label")
    private let block = Button(localized("_Block…")).css("flat")
    private let decline = Button(localized("_Decline"))
    let accept = Button(localized("_Accept")).css("suggested-action")
    private let line: Box
    private let buttons: Box
    private let revealer: Revealer
    private(set) var wishes: ContactWishes?

    /// - Parameter wishes: what can be done with a contact; `nil` where its account is not at work.
    init(
        _ contacts: ContactList, _ accounts: AccountList, _ avatars: AvatarLoader,
        wishes: @escaping (ContactRow.ID) -> ContactWishes?
    ) {
        self.contacts = contacts
        self.accounts = accounts
        makeWishes = wishes
        picture = PersonPicture(avatars, size: 36)
        let column = Box.vertical(title, words, more).expand(.horizontal).align(vertical: .center)
        let who = Box.horizontal(spacing: 8, picture.widget.align(vertical: .center), column)
        who.expand(.horizontal)
        buttons = Box.horizontal(spacing: 6, block, decline, accept).align(horizontal: .end, vertical: .center)
        line = Box.horizontal(spacing: 8, who, buttons)
        revealer = Revealer(Box.vertical(line).css("request-bar"), .slideUp)
        root = revealer
        accept.onClick { [weak self] in self?.wishes?.accept() }
        decline.onClick { [weak self] in self?.wishes?.decline() }
        block.onClick { [weak self] in self?.wishes?.block(isRequest: true) }
        observe(self) { bar in bar.show() }
    }

    /// Something is asked now.
    var isRevealed: Bool { revealer.isRevealed }
    /// What is said, for tests.
    var sentences: [String] { [title, words, more].filter(\.isVisible).map(\.text) }

    /// The buttons stand below the words where there is no room beside them.
    func show(isNarrow: Bool) { line.turn(isNarrow ? .vertical : .horizontal) }

    private func show() {
        let requests = contacts.requests.elements
        guard let request = requests.first else {
            wishes = nil
            revealer.isRevealed = false
            return
        }
        if wishes?.model.id != request.id {
            wishes = makeWishes(request.id)
            if let model = wishes?.model { Task { await model.refresh() } }
        }
        guard let model = wishes?.model else { return }
        picture.show(name: model.name, hash: model.avatarHash)
        title.text = localized("%@ asks to be your contact", model.name)
        words.text = [request.address.description, request.text.map { "“\($0)”" }].compactMap(\.self)
            .joined(separator: " · ")
        words.tip(words.text)
        more.text = note(of: request, others: requests.count - 1)
        more.isVisible = !more.text.isEmpty
        buttons.isSensitive = !model.isWorking
        accept.accessible(description: title.text)
        decline.accessible(description: title.text)
        block.accessible(description: title.text)
        revealer.isRevealed = true
    }

    /// Which account is asked, where there are several, and how many others ask.
    private func note(of request: ContactRequestRow, others: Int) -> String {
        let accounts = accounts.rows
        var parts: [String] = []
        if accounts.elements.count > 1, let account = accounts[request.id.account] {
            parts.append(localized("Your account: %@", account.address))
        }
        if others > 0 { parts.append(localized("%@ more asks.", plural: "%@ more ask.", count: others)) }
        return parts.joined(separator: " · ")
    }
}
