internal import ChatModel
internal import GTKBinding
internal import Localization

/// The link of an invitation, pasted.
final class InvitationView {
    let root: Widget
    var onInvitation: (AccountInvitation) -> Void = { _ in }
    let page: FormPage
    private let link = EntryRow(localized("Link"))

    init() {
        page = FormPage(
            title: localized("Use an invitation"),
            description: localized("Paste the link that you were sent. It begins with “xmpp:” or “https:”."),
            button: localized("_Continue"))
        root = page.root
        page.add(PreferencesGroup("", description: nil, [link]))
        page.order([link])
        page.onContinue = { [weak self] in self?.goOn() }
        link.onChange { [weak self] _ in
            self?.page.show(failure: nil)
            self?.link.isWrong(false)
        }
    }

    func focus() { link.grabFocus() }

    private func goOn() {
        guard let invitation = AccountInvitation(link.text) else {
            link.isWrong(true)
            page.show(
                failure: localized("This is no invitation. Copy the whole link, from its first to its last character."))
            return
        }
        onInvitation(invitation)
    }

    func show(failure: String) { page.show(failure: failure) }
}
