internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The bar at the bottom of the window that shows contact requests, one at a time.
final class RequestBar {
    let root: Widget
    private let contacts: ContactList
    private let accounts: AccountList
    private let makeActions: (ContactRow.ID) -> ContactActions?
    private let picture: AvatarImage
    private let title = Label().ellipsize().textAlignment(0).css("heading")
    private let label = Label().ellipsize().textAlignment(0).css("dim-label")
    private let more = Label().ellipsize().textAlignment(0).css("caption", "dim-label")
    private let block = Button(localized("_Block…")).css("flat")
    private let decline = Button(localized("_Decline"))
    let accept = Button(localized("_Accept")).css("suggested-action")
    private let line: Box
    private let buttons: FoldingRow
    private let revealer: Revealer
    private(set) var actions: ContactActions?

    /// - Parameter actions: the actions on a contact; `nil` when its account is not running.
    init(
        _ contacts: ContactList, _ accounts: AccountList, _ avatars: AvatarLoader,
        actions: @escaping (ContactRow.ID) -> ContactActions?
    ) {
        self.contacts = contacts
        self.accounts = accounts
        makeActions = actions
        picture = AvatarImage(avatars, size: 36)
        let column = Box.vertical(title, label, more).expand(.horizontal).align(vertical: .center)
        let who = Box.horizontal(spacing: 8, picture.widget.align(vertical: .center), column)
        who.expand(.horizontal)
        buttons = FoldingRow(spacing: 6, .end, block, decline, accept).align(vertical: .center)
        line = Box.horizontal(spacing: 8, who, buttons)
        revealer = Revealer(Box.vertical(line).css("request-bar"), .slideUp)
        root = revealer
        accept.onClick { [weak self] in self?.actions?.accept() }
        decline.onClick { [weak self] in self?.actions?.decline() }
        block.onClick { [weak self] in self?.actions?.block(isRequest: true) }
        observe(self) { bar in bar.show() }
    }

    /// Whether a request is shown.
    var isRevealed: Bool { revealer.isRevealed }
    /// The texts shown, for tests.
    var texts: [String] { [title, label, more].filter(\.isVisible).map(\.text) }

    /// In a narrow window the buttons go below the text.
    func show(isNarrow: Bool) { line.turn(isNarrow ? .vertical : .horizontal) }

    private func show() {
        let requests = contacts.requests.elements
        guard let request = requests.first else {
            actions = nil
            revealer.isRevealed = false
            return
        }
        if actions?.model.id != request.id {
            actions = makeActions(request.id)
            if let model = actions?.model { Task { await model.refresh() } }
        }
        guard let model = actions?.model else { return }
        picture.show(name: model.name, hash: model.avatarHash, of: request.address.description)
        title.text = localized("%@ wants to add you as a contact", model.name)
        label.text = [request.address.description, request.text.map { localized("“%@”", $0) }].compactMap(\.self)
            .joined(separator: " · ")
        label.tip(label.text)
        more.text = note(of: request, others: requests.count - 1)
        more.isVisible = !more.text.isEmpty
        buttons.isSensitive = !model.isWorking
        accept.accessible(description: title.text)
        decline.accessible(description: title.text)
        block.accessible(description: title.text)
        revealer.isRevealed = true
    }

    /// The account that received the request, when there are several, and the number of further requests.
    private func note(of request: ContactRequestRow, others: Int) -> String {
        let accounts = accounts.rows
        var parts: [String] = []
        if accounts.elements.count > 1, let account = accounts[request.id.account] {
            parts.append(localized("Your account: %@", account.address))
        }
        if others > 0 {
            parts.append(
                localized("%@ more contact request.", plural: "%@ more contact requests.", count: others))
        }
        return parts.joined(separator: " · ")
    }
}
