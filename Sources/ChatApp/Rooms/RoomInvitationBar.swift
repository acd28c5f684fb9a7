internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The bar at the bottom of the window that shows room invitations, one at a time.
final class RoomInvitationBar {
    let root: Widget
    let label = Label().wrap().textAlignment(0)
    let join = Button(localized("_Join")).css("suggested-action")
    let decline = Button(localized("_Decline"))

    private let contacts: ContactList
    private let accounts: AccountList
    private let joining: RoomJoining
    private let open: (ConversationKey) -> Void
    let revealer: Revealer
    private var shown: RoomInvitationRow?
    private var work: Task<Void, Never>? { didSet { show() } }

    /// - Parameter open: shows the conversation of a room that was joined.
    init(
        _ contacts: ContactList, _ accounts: AccountList, _ joining: RoomJoining,
        open: @escaping (ConversationKey) -> Void
    ) {
        self.contacts = contacts
        self.accounts = accounts
        self.joining = joining
        self.open = open
        let buttons = FoldingRow(spacing: 8, .end, decline, join)
        revealer = Revealer(Box.vertical(spacing: 6, label, buttons).css("invitation"), .slideUp)
        root = revealer
        join.onClick { [weak self] in self?.accept() }
        decline.onClick { [weak self] in self?.refuse() }
        observe(self) { bar in bar.show() }
    }

    private func accept() {
        guard work == nil, let row = shown, let account = joining.account(row.id.account) else { return }
        work = Task { [weak self, joining, open] in
            let invitation = await account.invitations.waiting.first { $0.room == row.room }
            let key = await joining.join(row.room, password: invitation?.password, of: row.id.account)
            if let key { open(key) }
            self?.work = nil
        }
    }

    private func refuse() {
        guard work == nil, let row = shown, let account = joining.account(row.id.account) else { return }
        work = Task { [weak self, joining] in
            do throws(RoomFailure) {
                try await account.invitations.decline(row.room)
            } catch {
                joining.showToast(Wording.failure(error))
            }
            self?.work = nil
        }
    }

    private func show() {
        let rows = contacts.invitations.elements
        if let row = rows.first {
            if row != shown { label.tip(row.room.description) }
            shown = row
            label.text = Wording.invitation(row) + account(row)
        }
        join.isSensitive = work == nil
        decline.isSensitive = work == nil
        revealer.isRevealed = !rows.isEmpty
    }

    /// The account that was invited, when there are several.
    private func account(_ row: RoomInvitationRow) -> String {
        guard accounts.rows.elements.count > 1, let account = accounts.rows[row.id.account] else { return "" }
        return " " + localized("(To %@.)", account.address)
    }
}
