internal import ChatModel
internal import Localization
internal import XMPPAddress

/// Shows the changes of contacts, and each contact request and room invitation once.
@MainActor
final class ListNews {
    private let models: AccountModels
    private let console: ChatConsole
    private let display: ChatDisplay
    /// Requests and invitations that were already shown to the user.
    private var shownRequests: Set<JID> = []
    private var shownInvitations: Set<JID> = []
    /// Contacts that the user has removed here, so that their removal is not reported.
    private var removed: Set<JID> = []

    init(_ models: AccountModels, _ console: ChatConsole, _ display: ChatDisplay) {
        self.models = models
        self.console = console
        self.display = display
    }

    /// Sets whether the user is removing a contact.
    func setRemoving(_ isRemoving: Bool, _ address: JID) {
        if isRemoving { removed.insert(address) } else { removed.remove(address) }
    }

    func show() {
        let before = models.contacts.contacts
        models.readLists()
        removed.formIntersection(before.map(\.address))
        let open = models.connection.isSettled ? models.conversation?.key.address : nil
        for line in ContactNews.lines(from: before, to: models.contacts.contacts, removed: removed, open: open) {
            console.showNotice(line)
        }
        let (account, list) = (models.account.id, models.contactList)
        for request in list.requests.elements where request.id.account == account {
            guard shownRequests.insert(request.address).inserted else { continue }
            let text = request.text.map { TextFolding.folded($0) } ?? ""
            let words = text.isEmpty ? "" : " " + localized("“%@”", text)
            console.showNotice(localized("%@ wants to add you.%@ /accept or /reject", request.address, words))
            if !request.isRepeated { display.ring() }
        }
        shownRequests.formIntersection(list.requests.elements.map(\.address))
        for invitation in list.invitations.elements where invitation.id.account == account {
            guard shownInvitations.insert(invitation.id.room).inserted else { continue }
            let words = TextFolding.folded(Wording.invitation(invitation))
            console.showHarmless(localized("%@ /join %@ joins it.", words, invitation.id.room))
            display.ring()
        }
        shownInvitations.formIntersection(list.invitations.elements.map(\.id.room))
    }
}
