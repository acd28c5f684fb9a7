import CGTK
import ChatEngine
import ChatStore
import Localization
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

/// The windows and menus of the program that work without files, with Juliet's conversations in them.
@MainActor
final class Scenes {
    let sample: TalkSample
    private(set) var main: MainWindow?
    /// The window of a further account.
    weak var furtherAccount: Window?
    var about: RoomWindow?

    /// The person that was mentioned from the list of a room.
    var mentioned = ""

    static let choosesFile = "the chooser belongs to the desktop"
    static let isRead = "it is read when the form or the dialog is answered"
    static let isChosen = "it is chosen already"

    var context: AppContext { sample.context }
    var room: ConversationKey { get throws { try sample.key("orchard@rooms.example", .room) } }
    private var romeo: ContactRow.ID { ContactRow.ID(account: sample.account, address: sample.romeo) }

    init() async throws {
        sample = try await TalkSample(isEnabled: false)
        try await sample.save(
            StoredContact(
                address: sample.romeo, name: sampleWords("Romeo"), subscription: .both,
                groups: [sampleWords("Friends")]))
        try await sample.save(
            StoredContact(address: try JID("tybalt@verona.example"), name: sampleWords("Tybalt"), subscription: .both))
        for index in 0..<ConversationFilterBar.usefulCount {
            try await sample.say("Soft!", ago: 5, in: try sample.key("friend\(index)@verona.example"))
        }
        let nurse = try JID("orchard@rooms.example/Nurse")
        try await sample.say("Peace!", ago: 4, from: nurse, in: try room)
        try await sample.say("But soft!", ago: 2)
        try await sample.say("Ay me!", ago: 1, isOwn: true)
        let count = ConversationFilterBar.usefulCount + 2
        let home = sample.home
        let isReady = await Toolkit.eventually {
            home.contacts.rows.elements.count == 2 && home.conversations.all.count == count
        }
        #expect(isReady)
    }

    func end() async { await sample.end() }

    /// Everything that controls can change beside the windows.
    func state(_ toasts: [String]) -> String {
        let home = sample.home
        let clipboard = gdk_display_get_default().flatMap { gdk_clipboard_get_content(gdk_display_get_clipboard($0)) }
        var preferences = home.preferences.values
        // It is noted a moment after a window has got its size, which is no effect of a control.
        let usual = WindowPlace()
        (preferences.window.width, preferences.window.height) = (usual.width, usual.height)
        return """
            \(preferences) \(home.conversations.rows.elements) \(home.contacts.rows.elements) \
            \(home.accounts.rows.elements) \(clipboard.debugDescription) \(mentioned) \(toasts)
            """
    }

    // MARK: The main window

    func openMain(_ key: ConversationKey? = nil, width: Int = 1100) async throws -> Window {
        // What was written in the use before this one is no draft of this one.
        if let written = main?.conversation?.composer?.composer {
            (written.text, written.reply, written.edit) = ("", nil, nil)
            await written.flush(evenIfSaved: true)
        }
        let main = try MainWindow.shown(context)
        self.main = main
        main.window.setDefaultSize(width: width, height: 700)
        main.window.retain(main)
        _ = await Toolkit.eventually { [home = sample.home] in home.phase == .ready && main.sidebar.isMapped }
        guard let key else { return main.window }
        main.open(key)
        _ = await Toolkit.eventually {
            guard let timeline = main.conversation?.timeline, timeline.position.isOpened else { return false }
            // The button to the newest message comes and goes while the list finds its place.
            return timeline.timeline.isAtNewest && timeline.scroller.remaining < 2
                && !timeline.newestPlace.isRevealed
        }
        return main.window
    }

    private func openConversation(
        _ then: @escaping @MainActor (ConversationView) -> Void
    ) -> @MainActor () async throws -> Window {
        { [self] in
            let window = try await openMain(sample.key)
            then(try #require(main?.conversation))
            return window
        }
    }

    /// What is written is in the message, and can be sent.
    private var writing: [String: @MainActor () -> Bool] {
        [
            "Message": { [self] in
                guard let view = main?.conversation?.composer else { return false }
                return view.composer.text == Control.text && view.send.isMapped && view.send.isSensitive
            }
        ]
    }

    var mainWindows: [Scene] {
        let key = sample.key
        return [
            Scene(title: "main window", exceptions: ["Send pictures or files": Self.choosesFile], effects: writing) {
                [self] in
                try await openMain(key)
            },
            Scene(title: "main window without a conversation") { [self] in
                context.windowState.conversation = nil
                return try await openMain()
            }.part { [self] _ in main?.welcomes.view.root.widget },
            Scene(
                title: "main window with a room", exceptions: ["Send pictures or files": Self.choosesFile],
                effects: writing
            ) { [self] in
                try await openMain(room)
            }.part { [self] _ in main?.conversation?.root.widget },
            Scene(title: "contacts", exceptions: ["\(localized("Offline")) · 2": "a heading"]) { [self] in
                let window = try await openMain()
                main?.showContacts()
                return window
            }.part { [self] _ in main?.contacts?.root.widget },
            Scene(title: "finding", open: openConversation { $0.find() })
                .part { [self] _ in main?.conversation?.findBar.root.widget },
            Scene(
                title: "selected messages",
                open: openConversation { view in
                    if let message = view.timeline.model.items.last?.message { view.timeline.select(message) }
                }
            ).part { [self] _ in main?.conversation?.selectionBar.root.widget },
            Scene(
                title: "a reply", exceptions: ["Send pictures or files": Self.choosesFile], effects: writing,
                open: openConversation { view in
                    if let message = view.timeline.model.items.last?.message { view.timeline.onReply(message.id) }
                }
            ).part { [self] _ in main?.conversation?.composer?.root.widget },
        ]
    }

    /// The buttons beside the message under the pointer. They are there for the mouse only: the keyboard has the menu.
    var tools: Scene {
        Scene(title: "tools of a message") { [self] in try await openMain(sample.key) }.part { [self] _ in
            guard let timeline = main?.conversation?.timeline else { return nil }
            // Messages that still move hide the buttons, until the pointer moves again.
            let isShown = await Toolkit.eventually {
                let tools = timeline.tools
                if tools.root.isVisible, tools.root.width > 0 { return true }
                guard let message = timeline.model.items.compactMap(\.message).first,
                    let bubble = timeline.bubble(of: message.id)?.bubble,
                    let place = bubble.translate(
                        x: Double(bubble.width) / 2, y: Double(bubble.height) / 2, to: timeline.overlay)
                else { return false }
                tools.pointed(place)
                return false
            }
            return isShown ? timeline.tools.root.widget : nil
        }
    }

    var mainMenus: [Scene] {
        let window = Scene(title: "main window") { [self] in try await openMain(sample.key) }
        let contacts = Scene(title: "contacts") { [self] in
            let window = try await openMain()
            main?.showContacts()
            return window
        }
        return [
            window.menu(
                "presence", exceptions: ["Available": Self.isChosen],
                Scene.menu { gtk_widget_has_css_class($0, "own-presence").isTrue }),
            window.menu("conversation menu") { [self] _ in
                let list = main?.conversations
                // The use before this one has muted it.
                if let row = sample.home.conversations.rows.elements.first {
                    try? await sample.home.conversations.notify(row.id, for: .all, through: nil)
                    let home = sample.home
                    _ = await Toolkit.eventually { home.conversations.all[row.key]?.isMuted == false }
                }
                _ = await Toolkit.eventually { list?.list.focus(on: 0) == true && list?.showMenuOfFocused() == true }
                return nil
            },
            window.menu("message menu") { [self] _ in await openMessageMenu { !$0.isOutgoing } },
            window.menu("menu of an own message") { [self] _ in await openMessageMenu { $0.isOutgoing } },
            contacts.menu("contact menu") { [self] _ in
                let list = main?.contacts
                // There is a conversation with him, so the menu has all entries.
                _ = await Toolkit.eventually {
                    guard let list, let index = list.items.firstIndex(where: { $0.contact?.id == romeo }) else {
                        return false
                    }
                    return list.list.focus(on: index) && list.showMenuOfFocused()
                }
                return nil
            },
            contacts.menu(
                "groups", exceptions: ["All Contacts": Self.isChosen],
                Scene.menu { WidgetTree.texts(in: $0).contains(localized("All Contacts")) }),
            Scene(title: "finding", open: openConversation { $0.find() })
                .menu("days", exceptions: ["Go to This Day": "today is shown already"], Scene.menu(of: "Go to a day")),
        ]
    }

    private func openMessageMenu(_ isFound: @escaping (TimelineMessage) -> Bool) async -> WidgetPointer? {
        let timeline = main?.conversation?.timeline
        _ = await Toolkit.eventually {
            guard let timeline, let message = timeline.model.items.compactMap(\.message).first(where: isFound),
                timeline.bubble(of: message.id) != nil
            else { return false }
            timeline.openMenu(message)
            return true
        }
        return nil
    }

    // MARK: People

    var people: [Scene] {
        let context = context
        return [
            Scene(title: "new conversation") {
                try #require(NewConversationWindow.show(context, over: nil)).window
            },
            Scene(title: "add a contact") {
                try #require(ContactAdditionWindow.show("nurse@capulet.example", context, over: nil)).window
            },
            Scene(title: "share") { [self] in
                let view = ShareWindow(
                    InvitationModel(accounts: sample.home.chatAccounts) { _ in "Juliet" }, over: nil)
                view.present()
                return view.window
            },
            Scene(title: "contact page") { [self] in
                try #require(ContactWindow.show(romeo, context, over: nil)).window
            },
            Scene(title: "name of a contact") { [self] in try #require(context.contactActions(romeo)).rename() },
            Scene(title: "groups of a contact", exceptions: ["Friends": Self.isRead]) { [self] in
                try #require(context.contactActions(romeo)).chooseGroups()
            },
            Scene(
                title: "report",
                exceptions: [
                    "Unwanted advertising": Self.isChosen, "Threats, insults or other abuse": Self.isRead,
                    "More about it": Self.isRead,
                ]
            ) { [self] in try #require(context.contactActions(romeo)).report() },
            Scene(title: "block") { [self] in try #require(context.contactActions(romeo)).block() },
            Scene(title: "forward") { [self] in
                _ = try await openMain(sample.key)
                let view = ForwardingWindow(
                    main?.conversation?.timeline.model.items.compactMap(\.message) ?? [], context)
                view.present()
                return view.window
            },
            Scene(title: "message info") { [self] in
                _ = try await openMain(sample.key)
                let timeline = try #require(main?.conversation?.timeline)
                let message = try #require(timeline.model.items.compactMap(\.message).last)
                let life = try #require(try await timeline.timeline.life(of: message.id, isOnline: false, file: nil))
                return MessageLifeWindow.show(life, over: nil)
            },
            Scene(title: "whole message") {
                WholeTextWindow.show("But soft!", title: "Romeo", over: nil).window
            },
            Scene(title: "commands", exceptions: ["Try Again": "without a connection it fails again"]) { [self] in
                let account = try #require(sample.home.account(sample.account))
                let window = CommandWindow(CommandModel(sample.romeo, account: account), name: "Romeo", over: nil)
                window.present()
                return window.window
            },
        ]
    }
}
