internal import GTKBinding
internal import Localization

/// What somebody can do who has no conversation yet.
enum EmptyListButtons {
    static func make() -> Widget {
        let add = Button(localized("_Add a contact…")).css("pill", "suggested-action").action("win.add-contact")
        let show = Button(localized("_Contacts")).css("pill").action("win.contacts")
        return Box.vertical(spacing: 12, add, show).align(horizontal: .center)
    }
}
