internal import ChatModel
internal import GTKBinding
internal import Localization

/// Asks before a link is opened whose host can be taken for another one.
enum LinkQuestion {
    /// What stands under the pointer: where it really leads, if that is not what is read.
    static func hint(_ link: String) -> String? {
        LinkHost(link)?.asciiName.map { localized("Leads to %@", $0) }
    }

    /// - Returns: whether this takes care of the link; if not, the desktop opens it.
    @discardableResult
    static func ask(_ link: String, over parent: Window?, shown: (MessageDialog) -> Void = { _ in }) -> Bool {
        guard let host = LinkHost(link), host.isDeceptive else { return false }
        let dialog = MessageDialog(
            localized("Open this link?"),
            body: localized("Its address looks like another one. It leads to %@.", host.asciiName ?? link)
        ).add("cancel", localized("_Cancel")).add("open", localized("_Open"), .destructive)
            .byDefault("cancel").onEscape("cancel")
        dialog.present(over: parent) { [weak parent] in
            if $0 == "open" { ToolkitSettings.open(link, over: parent) }
        }
        shown(dialog)
        return true
    }
}
