internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization

/// The menu of a conversation in the list.
final class ConversationMenu {
    let menu: Menu
    let actions = ActionGroup()

    /// - Parameters:
    ///   - account: that has the conversation; `nil` when it is not running.
    ///   - isRoom: the user has joined the room and can leave it.
    ///   - leave: leaves the room after a confirmation.
    ///   - willDelete: called before the conversation is deleted.
    init(
        _ row: ConversationRow, _ list: ConversationList, account: (any ConversationActions)?, isRoom: Bool,
        _ context: WindowContext, leave: @escaping () -> Void, willDelete: @escaping () -> Void
    ) {
        let id = row.id
        var first: [Menu.Entry] = []
        if row.isUnread {
            first.append(.item(localized("Mark as Read"), "conversation.read"))
        } else {
            first.append(.item(localized("Mark as Unread"), "conversation.unread"))
        }
        first.append(.item(row.isPinned ? localized("Unpin") : localized("Pin"), "conversation.pin"))
        let pinned = list.pinned
        if let place = pinned.firstIndex(of: id) {
            if place > 0 { first.append(.item(localized("Move Up"), "conversation.move-up")) }
            if place < pinned.count - 1 { first.append(.item(localized("Move Down"), "conversation.move-down")) }
        }
        first.append(
            .item(row.isArchived ? localized("Unarchive") : localized("Archive"), "conversation.archive"))
        let mute: Menu.Entry =
            row.isMuted
            ? .item(localized("Unmute"), "conversation.unmute")
            : .submenu(
                localized("Mute"),
                [
                    .item(localized("For One Hour"), "conversation.mute-hour"),
                    .item(localized("For Eight Hours"), "conversation.mute-night"),
                    .item(localized("Until I Change It"), "conversation.mute"),
                ])
        var last: [Menu.Entry] = [
            .destructive(localized("Delete From This Computer…"), "conversation.delete")
        ]
        if isRoom {
            last.insert(.destructive(localized("Leave Room…"), "conversation.leave"), at: 0)
        }
        menu = Menu([.section(nil, first), .section(nil, [mute]), .section(nil, last)])

        func add(_ name: String, _ body: @escaping () async throws(StoreError) -> Void) {
            actions.add(Action(name) { context.attempt(body) })
        }
        add("read") { () async throws(StoreError) in try await list.markRead(id, through: account) }
        add("unread") { () async throws(StoreError) in try await list.markUnread(id) }
        add("pin") { () async throws(StoreError) in try await list.pin(id, !row.isPinned) }
        for (name, step) in [("move-up", -1), ("move-down", 1)] {
            add(name) { () async throws(StoreError) in _ = try await list.movePinned(id, by: step) }
        }
        add("archive") { () async throws(StoreError) in try await list.archive(id, !row.isArchived) }
        add("unmute") { () async throws(StoreError) in try await list.notify(id, for: .all, through: account) }
        add("mute") { () async throws(StoreError) in try await list.notify(id, for: .none, through: account) }
        for (name, hours) in [("mute-hour", 1), ("mute-night", 8)] {
            add(name) { () async throws(StoreError) in
                try await list.mute(id, until: MessageTime(Date()).advanced(by: Int64(hours) * 3_600_000))
            }
        }
        actions.add(
            Action("leave", leave))
        actions.add(Action("delete") { Self.delete(row, list, context, willDelete) })
    }

    private static func delete(
        _ row: ConversationRow, _ list: ConversationList, _ context: WindowContext, _ willDelete: @escaping () -> Void
    ) {
        let dialog = MessageDialog(
            localized("Delete this conversation?"),
            body: localized(
                "All messages with %@ are removed from this computer. Copies on the server and with others stay.",
                row.title))
        dialog.add("cancel", localized("_Cancel")).add("delete", localized("_Delete"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: context.window()) { answer in
            guard answer == "delete" else { return }
            willDelete()
            context.attempt { () async throws(StoreError) in try await list.delete(row.id) }
        }
    }
}
