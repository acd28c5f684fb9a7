internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// The commands that bots and servers offer: those of the list that was shown last, and those of the open conversation.
@MainActor
final class BotCommands {
    private let models: AccountModels
    private let console: ChatConsole
    /// The commands that were listed last.
    private var listed: CommandDialog?

    init(_ models: AccountModels, _ console: ChatConsole) {
        self.models = models
        self.console = console
    }

    /// Forgets the list: a number belongs to the list that was shown with the conversation.
    func forgetList() { listed = nil }

    /// Lists the commands of an address, or of the contact of the open conversation.
    func list(_ text: String?) {
        let typed = text.flatMap { models.contacts.find($0)?.address ?? (try? JID($0)) }
        guard let address = text == nil ? peer : typed else { return showUsage() }
        let dialog = dialog(with: address)
        listed = dialog
        console.jobs.begin { await dialog.list() }
    }

    /// Executes a listed command by its number, node or name.
    func run(_ text: String) {
        guard let dialog = listed ?? peer.map({ dialog(with: $0) }) else { return showUsage() }
        listed = dialog
        console.jobs.begin { [console] in
            if await !dialog.run(text) {
                console.showNotice(
                    localized("There is no command %@; /commands lists them.", TerminalText.harmless(text)))
            }
        }
    }

    /// `/deploy` in a conversation with a bot that offers `deploy`.
    func runUnknown(_ name: String) {
        guard let peer, models.contacts.contact(peer)?.section != .offline else { return showUnknown(name) }
        let dialog = listed.flatMap { $0.model.address == peer ? $0 : nil } ?? dialog(with: peer)
        console.jobs.begin { [self] in
            if await dialog.run(String(name.dropFirst())) {
                listed = dialog
            } else {
                showUnknown(name)
            }
        }
    }

    /// The contact of the open conversation. Nothing is requested from strangers.
    private var peer: JID? {
        guard let key = models.conversation?.key, key.kind == .direct else { return nil }
        return models.contacts.contact(key.address).map { _ in key.address.bare }
    }

    private func dialog(with address: JID) -> CommandDialog {
        CommandDialog(address, account: models.account, console: console)
    }

    private func showUsage() { console.showNotice(localized("Type %@.", "/commands ADDRESS")) }

    private func showUnknown(_ name: String) {
        console.showNotice(localized("There is no command %@; /help lists them.", name))
    }
}
