internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Tells of what waits for the person's answer and came while nobody looks: who asks to be a contact, and who invites into a room.
///
/// Each is told once, not again after the next start, and withdrawn when it was answered, here or elsewhere. A click shows the
/// window, which asks.
final class QuestionNotifier {
    private let home: ChatHome
    private weak var sink: (any NotificationSink)?
    private let isLooking: () -> Bool
    private var requests: Set<ContactRequestRow.ID> = []
    private var invitations: Set<RoomInvitationRow.ID> = []

    /// - Parameter isLooking: whether the person is looking at the program at all.
    init(_ home: ChatHome, sink: any NotificationSink, isLooking: @escaping () -> Bool) {
        self.home = home
        self.sink = sink
        self.isLooking = isLooking
        observe(self) { notifier in notifier.showRequests() }
        observe(self) { notifier in notifier.showInvitations() }
    }

    private func showRequests() {
        let names = home.contacts
        show(home.contacts.requests.elements, &requests, Self.name, isNews: { !$0.isRepeated }) { request, showsText in
            let name = names[request.id]?.name ?? request.address.unescapedLocal ?? request.address.description
            let words = showsText ? request.text.flatMap { $0.isEmpty ? nil : "“\($0)”" } : nil
            return NotificationContent(
                localized("%@ asks to be your contact", name),
                body: [request.address.description, words].compactMap(\.self).joined(separator: "\n"))
        }
    }

    private func showInvitations() {
        // Invitations come once, and are forgotten when the program ends.
        show(home.contacts.invitations.elements, &invitations, Self.name, isNews: { _ in true }) {
            invitation, showsText in
            NotificationContent(localized("Invitation"), body: Wording.invitation(invitation, withReason: showsText))
        }
    }

    /// - Parameter known: what was there before; it is news no more, whether it was told or not.
    private func show<Row: Identifiable>(
        _ rows: [Row], _ known: inout Set<Row.ID>, _ name: (Row.ID) -> String,
        isNews: (Row) -> Bool, _ words: (Row, Bool) -> NotificationContent
    ) {
        let before = known
        known = Set(rows.map(\.id))
        for id in before.subtracting(known) { sink?.withdrawNotification(name(id)) }
        let values = home.preferences.values
        guard values.showsNotifications, home.availability != .doNotDisturb, !isLooking() else { return }
        for row in rows where !before.contains(row.id) && isNews(row) {
            sink?.send(words(row, values.showsTextInNotifications), id: name(row.id))
        }
    }

    static func name(_ id: ContactRequestRow.ID) -> String { "request-\(id.account.rawValue)-\(id.address)" }

    static func name(_ id: RoomInvitationRow.ID) -> String { "invitation-\(id.account.rawValue)-\(id.room)" }
}
