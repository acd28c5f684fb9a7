import CGTK
import ChatEngine
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// What `xmpp:` links do (XEP-0147): they fill something in, and change nothing by themselves.
    @MainActor
    @Suite("Links")
    struct LinkTests {
        init() throws { try #require(Toolkit.isReady) }

        private func window(_ body: (TalkSample, MainWindow) async throws -> Void) async throws {
            let sample = try await TalkSample(isEnabled: false)
            try await sample.save(
                StoredContact(address: sample.romeo, name: sampleWords("Romeo"), subscription: .both))
            let main = try MainWindow.shown(sample.context)
            #expect(await Toolkit.eventually { sample.home.contacts.rows.elements.count == 1 })
            try await body(sample, main)
            main.close(permanently: true)
            await sample.end()
        }

        @Test("a message is a draft, after the text that is there, and once")
        func message() async throws {
            try await window { sample, main in
                let link = "xmpp:romeo@montague.example?message;body=Art%20thou%20not%20Romeo%3F"
                sample.context.links.open(address: link)
                #expect(main.openKey == sample.key)
                let composer = try #require(main.conversation?.composer)
                #expect(await Toolkit.eventually { composer.entry.text == "Art thou not Romeo?" })
                sample.context.links.open(address: link)
                await Toolkit.settle()
                #expect(composer.entry.text == "Art thou not Romeo?")
                composer.composer.text = "Hark!"
                sample.context.links.open(address: link)
                #expect(await Toolkit.eventually { composer.entry.text == "Hark!\nArt thou not Romeo?" })
                #expect(try await sample.messages().isEmpty)
            }
        }

        @Test("a link without a request opens the conversation, of the account that has it")
        func account() async throws {
            let home = try await ChatHome.unreachable(
                "juliet@capulet.example", "nurse@verona.example", isEnabled: false)
            let second = try #require(home.accounts.rows.elements.last).id
            let romeo = try JID("romeo@montague.example")
            try await home.store.write { store throws(StoreError) in
                try store.save(StoredContact(address: romeo, subscription: .both), of: second)
                for row in try store.accounts() {
                    var row = row
                    row.isEnabled = true
                    try store.update(row)
                }
            }
            let context = AppContext(home: home)
            let main = try MainWindow.shown(context)
            #expect(
                await Toolkit.eventually {
                    home.contacts.rows.elements.count == 1 && home.accounts.rows.elements.allSatisfy(\.isEnabled)
                })
            context.links.open(address: "xmpp:romeo@montague.example")
            #expect(main.openKey == ConversationKey(account: second, address: romeo, kind: .direct))
            context.links.open(address: "xmpp://juliet@capulet.example/romeo@montague.example")
            #expect(main.openKey?.account == home.accounts.rows.elements.first?.id)
            main.close(permanently: true)
            await home.stop()
        }

        @Test("to add a contact asks over the main window; Cancel leaves nothing behind")
        func invitation() async throws {
            try await window { sample, main in
                let before = Widget.openWindowCount
                let link = try #require(AccountInvitation("xmpp:nurse@capulet.example?roster;name=Nurse"))
                let question = try #require(sample.context.links.open(link))
                #expect(await Toolkit.eventually { Widget.openWindowCount == before + 1 })
                // There is one account.
                #expect(question.account == nil)
                question.dialog.answer("cancel")
                question.dialog.close()
                #expect(await Toolkit.eventually { Widget.openWindowCount == before })
                #expect(main.openKey == nil)
                let again = try #require(sample.context.links.open(link))
                again.dialog.answer("add")
                #expect(main.openKey?.address == (try JID("nurse@capulet.example")))
                again.dialog.close()
            }
        }

        @Test("a question has a heading of one line, and names of any length below it")
        func headings() async throws {
            let name = "the-nurse-of-the-younger-daughter@the-house-of-the-capulets.verona.example"
            try await window { sample, main in
                try await sample.save(StoredContact(address: try JID(name), subscription: .both))
                let id = ContactRow.ID(account: sample.account, address: try JID(name))
                let context = sample.context
                #expect(await Toolkit.eventually { sample.home.contacts.rows[id] != nil })
                let link = try #require(AccountInvitation("xmpp:new-\(name)?roster"))
                let room = try sample.key("orchard@rooms.example", .room)
                let questions = [
                    try #require(context.links.open(link)).dialog, try #require(context.contactActions(id)).block(),
                    try #require(context.contactActions(id)).report(),
                    try #require(context.contactActions(id)).delete(),
                    context.rooms.joining.askToLeave(room, title: name, over: nil),
                ]
                for question in questions {
                    #expect(await Toolkit.eventually { question.width > 0 })
                    await Toolkit.settle()
                    let labels = WidgetTree.labels(in: question.window.widget)
                    let heading = try #require(labels.first)
                    #expect(gtk_label_get_layout(heading).map { pango_layout_get_line_count($0) } == 1)
                    let texts = WindowCrawler.texts(of: question)
                    #expect(!texts[0].contains(name) && texts[1].contains(name), "\(texts)")
                    question.answer("cancel")
                    question.close()
                    await Toolkit.settle()
                }
            }
        }

        @Test("a name that looks like a text, or is as long as one, does not take the place of the text of a question")
        func namesOfOthers() async throws {
            try await window { sample, main in
                let room = try sample.key("orchard@rooms.example", .room)
                for name in ["Orchard\n\nNothing is lost.", String(repeating: "x", count: 6_000)] {
                    let question = sample.context.rooms.joining.askToLeave(room, title: name, over: nil)
                    #expect(await Toolkit.eventually { question.width > 0 })
                    let text = WindowCrawler.texts(of: question)[1]
                    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                    #expect(lines.count == 3 && lines[1].isEmpty, "\(text.prefix(200))")
                    #expect(lines.last?.hasPrefix("You receive no more messages") == true)
                    #expect(lines.last?.hasSuffix("stay on this computer.") == true)
                    question.answer("cancel")
                    question.close()
                    await Toolkit.settle()
                }
            }
        }

        @Test("with several accounts the user chooses the one that gets the contact")
        func choice() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", "nurse@verona.example")
            let context = AppContext(home: home)
            let main = try MainWindow.shown(context)
            let link = try #require(AccountInvitation("xmpp:romeo@montague.example?roster"))
            let question = try #require(context.links.open(link))
            await Toolkit.picture(question.dialog, "invitation-question")
            // The address of the account can be read.
            #expect(await Toolkit.eventually { question.dialog.width > 0 })
            await Toolkit.settle()
            #expect(WidgetTree.cutTexts(in: question.dialog.window.widget).isEmpty)
            let account = try #require(question.account)
            account.selected = 1
            question.dialog.answer("add")
            #expect(main.openKey?.account == home.accounts.rows.elements.last?.id)
            question.dialog.close()
            main.close(permanently: true)
            await home.stop()
        }

        @Test("a link to subscribe fills in the form; one to remove asks; neither does anything alone")
        func contacts() async throws {
            try await window { sample, main in
                let before = Widget.openWindowCount
                sample.context.links.open(address: "xmpp:tybalt@capulet.example?subscribe")
                #expect(await Toolkit.eventually { Widget.openWindowCount == before + 1 })
                // Who is a contact already is written to.
                sample.context.links.open(address: "xmpp:romeo@montague.example?subscribe")
                #expect(main.openKey == sample.key)
                let middle = Widget.openWindowCount
                sample.context.links.open(address: "xmpp:romeo@montague.example?remove")
                #expect(await Toolkit.eventually { Widget.openWindowCount == middle + 1 })
                // Nobody to remove.
                sample.context.links.open(address: "xmpp:tybalt@capulet.example?remove")
                await Toolkit.settle()
                #expect(Widget.openWindowCount == middle + 1)
                #expect(sample.home.contacts.rows.elements.map(\.address) == [sample.romeo])
            }
        }

        @Test("a room link fills in address and password")
        func room() async throws {
            try await window { sample, _ in
                let row = try #require(sample.home.accounts.rows.elements.first)
                try await sample.write { store throws(StoreError) in
                    guard var account = try store.account(row.address) else { return }
                    account.isEnabled = true
                    try store.update(account)
                }
                #expect(await Toolkit.eventually { sample.home.accounts.rows[row.id]?.isEnabled == true })
                let entry = try #require(
                    RoomEntryWindow.show(sample.context, text: "orchard@rooms.example", password: "rose"))
                #expect(await Toolkit.eventually { entry.view.password.isVisible })
                #expect(entry.view.password.text == "rose" && entry.view.room.text == "orchard@rooms.example")
                entry.window.close()
                let before = Widget.openWindowCount
                sample.context.links.open(address: "xmpp:orchard@rooms.example?invite;jid=nurse@capulet.example")
                #expect(await Toolkit.eventually { Widget.openWindowCount == before + 1 })
            }
        }
    }
}
