package import ChatEngine
package import ChatModel
internal import Localization
package import XMPPAddress
package import XMPPClient

/// The chat in the terminal: the conversations of one account, drawn from the models of ChatModel.
///
/// Messages come only from the store, so they are there at once, with or without a connection. The models are observed,
/// and changes are drawn at most once per ``ModelUpdates/frame``.
///
///     let chat = TerminalChat(account, preferences: await profile.preferences(), keyboard: Keyboard()) { "\($0)" }
///     await chat.run(with: romeo)                 // until the person leaves or the keyboard is stopped
@MainActor
package final class TerminalChat {
    let models: AccountModels
    let console: ChatConsole
    let display: ChatDisplay
    let updates: ModelUpdates
    let scrolling: ConversationScrolling
    let conversations: ConversationCommands
    let messages: MessageCommands
    let files: FileCommands
    let voice: VoiceCommands
    let contacts: ContactCommands
    let rooms: RoomCommands
    let encryption: EncryptionCommands
    let bots: BotCommands
    /// Whether the user has asked to quit.
    package private(set) var isLeaving = false

    private let events: AccountEvents
    private let keyboard: Keyboard
    private let keys = KeyHandling()

    /// - Parameters:
    ///   - preferences: the user's preferences, shared by all programs.
    ///   - isRegistering: whether the account may be unknown until it is registered.
    ///   - describe: describes for the user why there is no connection.
    package init(
        _ account: ChatAccount, preferences: Preferences, presence: OwnPresence = OwnPresence(), keyboard: Keyboard,
        isRegistering: Bool = false, describe: @escaping @MainActor (ClientError) -> String
    ) {
        self.keyboard = keyboard
        models = AccountModels(account, preferences: preferences, presence: presence, isRegistering: isRegistering)
        console = ChatConsole(models.environment)
        display = ChatDisplay(models, console)
        let news = ListNews(models, console, display)
        voice = VoiceCommands(models, console)
        encryption = EncryptionCommands(models, console)
        updates = ModelUpdates(models, console, display, news, voice, encryption)
        scrolling = ConversationScrolling(models, console, display, updates)
        bots = BotCommands(models, console)
        conversations = ConversationCommands(
            models: models, console: console, display: display, updates: updates, scrolling: scrolling, bots: bots)
        files = FileCommands(models: models, console: console)
        messages = MessageCommands(models: models, console: console, files: files)
        contacts = ContactCommands(models: models, console: console, news: news)
        rooms = RoomCommands(models: models, console: console, conversations: conversations)
        events = AccountEvents(models, console, display, updates, describe: describe)
        console.jobs.onEnd = { [weak updates] in updates?.update() }
    }

    /// Runs until the user quits or the keyboard is stopped.
    package func run(with peer: JID?, isCompanion: Bool = false) async {
        let account = models.account
        let changes = account.events()
        await models.load()
        display.setBracketedPaste(true)
        console.showNotice(localized("You are %@. /help lists the commands.", account.address))
        if isCompanion, let peer {
            events.addWhenOnline(peer)
            console.showNotice(
                localized("%@ answers: try a text, /picture FILE or /voice FILE.", peer.local ?? peer.description))
        }
        updates.showLists()
        if let peer { await conversations.open(peer) }
        events.changed(await account.connectionState)
        updates.watch()
        updates.update()
        let following =
            models.follow() + [
                Task { [feed = events.newsFeed()] in await feed.run() },
                Task { [events] in for await change in changes { events.happened(change) } },
            ]
        let idling = models.idlePresence()
        idling.inputHappened()
        for await event in keyboard.events {
            switch event {
            case .bytes(let bytes):
                idling.inputHappened()
                await keys.typed(bytes, in: self)
            case .resized: display.drawAgain()
            }
            if isLeaving { break }
        }
        idling.stop()
        if isLeaving { await Parting(models: models, console: console).sendTheRest() }
        for task in following { task.cancel() }
        console.jobs.cancel()
        keyboard.stop()
        // The draft must be saved even if this task is cancelled.
        await Task { await leave() }.value
    }

    /// Performs an input line: sends a message, or runs a command.
    ///
    /// - Returns: `false` if the line stays in the input field, because something in it is wrong.
    func perform(_ line: String) async -> Bool {
        switch ChatLine(line) {
        case .message(let text): return await messages.send(text)
        case .command(let command, let typed):
            // Without an argument there is nothing to correct.
            return await ChatConsole.$command.withValue(typed.argument.map { _ in line }) {
                await command.action(self, typed)
            }
        case .incomplete(let usage): console.showNotice(localized("Type %@.", usage))
        case .unknown(let name): bots.runUnknown(name)
        }
        return true
    }

    /// Ends the chat after the current key.
    func quit() { isLeaving = true }

    private func leave() async {
        await models.conversation?.close()
        await models.playback.stop()
        await models.playback.flush()
        display.finish()
        // The question refers to the models that it changes.
        console.question = nil
    }
}
