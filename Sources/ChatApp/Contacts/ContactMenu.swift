internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What can be done with a contact in the list.
final class ContactMenu {
    let menu: Menu
    let actions = ActionGroup()

    /// - Parameter wishes: of a contact whose model was refreshed.
    init(_ wishes: ContactWishes) {
        let model = wishes.model
        var first: [Menu.Entry] = [
            .item(localized("Write a message"), "contact.write"), .item(localized("Contact page"), "contact.page"),
        ]
        if model.isMuted != nil {
            first.append(.item(model.isMuted == true ? localized("Notify again") : localized("Mute"), "contact.mute"))
        }
        let block = model.isBlocked ? localized("Unblock") : localized("Block…")
        menu = Menu([
            .section(nil, first),
            .section(
                nil, [.item(localized("Rename…"), "contact.rename"), .item(localized("Groups…"), "contact.groups")]),
            .section(
                nil, [.item(block, "contact.block"), .item(localized("Delete the contact…"), "contact.delete")]),
        ])
        // The actions keep the wishes as long as the menu can be used.
        func add(_ name: String, needsConnection: Bool = true, _ body: @escaping (ContactWishes) -> Void) {
            let action = Action(name) { body(wishes) }
            action.isEnabled = !needsConnection || model.isOnline
            actions.add(action)
        }
        add("write", needsConnection: false) { $0.write() }
        add("page", needsConnection: false) { $0.showPage() }
        add("mute", needsConnection: false) { $0.setMuted($0.model.isMuted != true) }
        add("rename") { $0.rename() }
        add("groups") { $0.chooseGroups() }
        add("block") { if $0.model.isBlocked { $0.setBlocked(false) } else { $0.block() } }
        add("delete") { $0.delete() }
    }

    /// The menu of a contact as it stands now; `nil` where the account is not at work.
    static func menu(_ wishes: ContactWishes?) async -> ContactMenu? {
        guard let wishes else { return nil }
        await wishes.model.refresh()
        return ContactMenu(wishes)
    }
}
