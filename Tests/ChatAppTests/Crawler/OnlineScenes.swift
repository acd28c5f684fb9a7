import CGTK
import ChatEngine
import ChatStore
import Localization
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

/// The windows whose controls need a connection: Juliet's, with a contact, a stranger, and a room of hers on a real server.
@MainActor
final class OnlineScenes {
    let juliet: RoomVisitor
    private let romeo: RoomVisitor
    private let peddler: RoomVisitor
    private let room: JID
    private let model: RoomModel
    private let following: Task<Void, Never>
    private var about: RoomWindow?
    private var mentioned = ""

    private var home: ChatHome { juliet.home }

    init(on server: RunningServer) async throws {
        await WindowCrawler.close()
        juliet = try await RoomVisitor("juliet", on: server)
        romeo = try await RoomVisitor("romeo", on: server)
        peddler = try await RoomVisitor("peddler", on: server)
        let (juliet, romeo) = (juliet, romeo)
        _ = try await juliet.account.contacts.add(romeo.address, name: "Romeo")
        try #require(await Toolkit.eventually { romeo.home.contacts.requests.elements.count == 1 })
        try await romeo.account.contacts.acceptRequest(of: juliet.address, addingBack: true)
        let key = ConversationKey(account: peddler.id, address: juliet.address, kind: .direct)
        _ = try await peddler.account.send(.text(MessageText("Buy my poison!")), in: key)
        room = try await juliet.makeRoom()
        try await romeo.account.rooms.enter(room, nickname: "Romeo")
        (model, following) = juliet.follow(room)
        let (model, stranger) = (model, stranger)
        try #require(
            await Toolkit.eventually {
                juliet.home.contacts.rows.elements.first?.section == .online
                    && juliet.home.conversations.all[stranger] != nil && model.count == 2
            })
    }

    private var stranger: ConversationKey {
        ConversationKey(account: juliet.id, address: peddler.address, kind: .direct)
    }

    func end() async {
        following.cancel()
        for user in [juliet, romeo, peddler] { await user.home.stop() }
    }

    /// What controls can change beside the windows.
    func state(_ toasts: [String]) -> String {
        """
        \(home.preferences.values) \(home.conversations.rows.elements) \(home.contacts.rows.elements) \
        \(home.accounts.rows.elements) \(mentioned) \(toasts)
        """
    }

    private func openRoom(_ page: String) -> RoomWindow {
        // What was searched for in the use before this one.
        model.search("")
        let about = RoomWindow(model, juliet.context)
        self.about = about
        about.stack.shown = page
        about.people.menus.onMention = { [weak self] in self?.mentioned = $0 }
        about.present()
        return about
    }

    var all: [Scene] {
        let contact = ContactRow.ID(account: juliet.id, address: romeo.address)
        let context = juliet.context
        let me = "J Jule \(localized("you")) · \(juliet.address) \(localized("Owner"))"
        let people = Scene(
            title: "people of a room, online", exceptions: [me: "nothing can be done with oneself"]
        ) { [self] in
            let about = openRoom("people")
            _ = await Toolkit.eventually { about.people.index(of: "Romeo") != nil }
            return about.window
        }
        return [
            Scene(title: "contact page, online") {
                try #require(ContactWindow.show(contact, context, over: nil)).window
            },
            Scene(
                title: "bar of a stranger", exceptions: ["Add to Contacts": "there is no bar after it"]
            ) { [self] in
                let view = context.conversationView(stranger)
                let window = Window("Stranger", width: 560, height: 480, view.root)
                window.retain(view)
                window.present()
                return window
            }.part { window in
                let names = Control.names(["Report…"])
                @MainActor func find() -> WidgetPointer? {
                    WidgetTree.first(in: window.widget) { names.contains(WidgetTree.name(of: $0)) }
                }
                _ = await Toolkit.eventually { find() != nil }
                return find().flatMap { WidgetTree.ancestor(of: $0, gtk_revealer_get_type()) }
            },
            people,
            people.menu("person in a room, online") { [self] _ in
                mentioned = ""
                _ = await about?.people.openMenu(of: "Romeo")
                return nil
            },
            Scene(
                title: "page of a room, online",
                effects: ["Your nickname": { [model] in model.nickname == Control.text }]
            ) { [self] in openRoom("room").window },
            Scene(
                title: "settings of a room, online",
                exceptions: ["Choose a Picture…": Scenes.choosesFile]
            ) { [self] in
                let view = RoomSettingsWindow(
                    RoomSettingsModel(juliet.key(room), account: juliet.account, isOwner: true), home.conversations,
                    home.avatars, own: juliet.address, over: nil
                ) { _ in nil }
                view.present()
                let name = Control.names(["Name"])
                _ = await Toolkit.eventually {
                    Control.all(in: view.window.widget).contains { name.contains($0.name) }
                }
                return view.window
            },
            Scene(title: "account page, online", exceptions: ["Choose a Picture…": Scenes.choosesFile]) { [self] in
                await openAccount()
            },
        ]
    }

    private func openAccount() async -> Window {
        let (home, id) = (home, juliet.id)
        // The use before this one may have disabled it.
        await home.setEnabled(true, id)
        _ = await Toolkit.eventually { home.accounts.rows[id]?.connection.isOnline == true }
        return ProgramPreferencesWindow.show(home, over: nil, account: id).window
    }

    /// A question that a control of a window opens. Tests of their own answer it with yes, because that cannot be done twice.
    private func question(
        _ control: String, yes: String, fields: [String] = [], in open: @escaping @MainActor () async throws -> Widget
    ) -> Scene {
        var exceptions = [yes: "a test of its own looks at the other people"]
        for field in fields { exceptions[field] = Scenes.isRead }
        return Scene(title: "question of “\(control)”", exceptions: exceptions) {
            try #require(await WindowCrawler.click(control, in: try await open()), "\(control)")
            _ = await Toolkit.eventually { WindowCrawler.question != nil }
            return try #require(WindowCrawler.question)
        }
    }

    var questions: [Scene] {
        let contact = ContactRow.ID(account: juliet.id, address: romeo.address)
        let context = juliet.context
        func ofPerson(_ entry: String, yes: String, fields: [String] = []) -> Scene {
            question(entry, yes: yes, fields: fields) { [self] in
                try #require(await openRoom("people").people.openMenu(of: "Romeo"))
            }
        }
        return [
            question("Leave Room…", yes: "Leave") { [self] in openRoom("room").window },
            question("Close Room for Everyone…", yes: "Close Room", fields: ["Reason"]) { [self] in
                openRoom("room").window
            },
            ofPerson("Make a Moderator…", yes: "Make a Moderator"), ofPerson("Make a Member…", yes: "Make a Member"),
            ofPerson("Remove From Room…", yes: "Remove", fields: ["Reason"]),
            ofPerson("Ban Permanently…", yes: "Ban", fields: ["Reason"]),
            question("Delete Contact…", yes: "Delete") {
                try #require(ContactWindow.show(contact, context, over: nil)).window
            },
            question("Delete the Account on the Server…", yes: "Delete Permanently", fields: ["Address"]) {
                [self] in await openAccount()
            },
        ]
    }
}
