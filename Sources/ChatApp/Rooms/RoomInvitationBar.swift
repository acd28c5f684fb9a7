internal import ChatEngine
internal import ChatModel
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Says at the lower edge of the window who wants this person in a room, one invitation after the other.
final class RoomInvitationBar {
    let root: Widget
    let words = Label().wrap().textAlignment(0)
    let join = Button(localized("_Join")).css("suggested-action")
    let decline = Button(localized("_Decline"))

    private let desk: Desk
    let revealer: Revealer
    private var shown: RoomInvitationRow?
    private var work: Task<Void, Never>? { didSet { show() } }

    init(_ desk: Desk) {
        self.desk = desk
        let buttons = Box.horizontal(spacing: 8, decline, join).align(horizontal: .end)
        revealer = Revealer(Box.vertical(spacing: 6, words, buttons).css("invitation"), .slideUp)
        root = revealer
        join.onClick { [weak self] in self?.accept() }
        decline.onClick { [weak self] in self?.refuse() }
        observe(self) { bar in bar.show() }
    }

    private func accept() {
        guard work == nil, let row = shown, let account = desk.home.account(row.id.account) else { return }
        work = Task { [weak self, desk] in
            let invitation = await account.roomInvitations.first { $0.room == row.room }
            let key = await RoomJoining.join(row.room, password: invitation?.password, of: row.id.account, desk)
            if let key { desk.window?.open(key) }
            self?.work = nil
        }
    }

    private func refuse() {
        guard work == nil, let row = shown, let account = desk.home.account(row.id.account) else { return }
        work = Task { [weak self, desk] in
            do throws(RoomFailure) {
                try await account.declineInvitation(to: row.room)
            } catch {
                desk.say(error.words)
            }
            self?.work = nil
        }
    }

    private func show() {
        let rows = desk.home.contacts.invitations.elements
        if let row = rows.first {
            if row != shown { words.tip(row.room.description) }
            shown = row
            words.text =
                RoomWords.invitation(row) + Self.account(row, isMany: desk.home.accounts.rows.elements.count > 1, desk)
        }
        join.isSensitive = work == nil
        decline.isSensitive = work == nil
        revealer.isRevealed = !rows.isEmpty
    }

    /// Who of several accounts is meant.
    private static func account(_ row: RoomInvitationRow, isMany: Bool, _ desk: Desk) -> String {
        guard isMany, let account = desk.home.accounts.rows[row.id.account] else { return "" }
        return " " + localized("(To %@.)", account.address)
    }
}
