internal import CGTK
import ChatEngine
import ChatStore
import QRCodes
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// What a newcomer sees and does first.
    @MainActor
    @Suite("First minutes")
    struct FirstMinutesTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("a new account sees its address and what to do first; one window state after another is restored")
        func welcome() async throws {
            RoomVisitor.useStyle
            let home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            let context = AppContext(home: home)
            let window = try MainWindow.shown(context)
            let welcome = window.welcomes.view
            #expect(await Toolkit.eventually { welcome.texts.contains("You are juliet@capulet.example") })
            #expect(await Toolkit.eventually { welcome.own.code.root.height > 150 && welcome.own.copyLink.isMapped })
            await Toolkit.picture(window.window, "first-window")
            let link = "xmpp:juliet@capulet.example?roster"
            #expect(welcome.own.code.code == QRCode(link))
            welcome.own.copyAddress.click()
            #expect(
                await Toolkit.eventually(asking: { (try? await Clipboard.text()) == "juliet@capulet.example" }))
            // Offline, it is the link that needs no server.
            welcome.own.copyLink.click()
            #expect(await Toolkit.eventually(asking: { (try? await Clipboard.text()) == link }))
            #expect(await Toolkit.eventually { welcome.own.copyLink.isSensitive })
            let key = ConversationKey(
                account: try #require(home.accounts.rows.elements.first).id,
                address: try JID("romeo@montague.example"), kind: .direct)
            window.open(key)
            // With a conversation it is no new account any more.
            #expect(await Toolkit.eventually { welcome.own.code.code == nil })
            // It is in the list before anything is said.
            #expect(await Toolkit.eventually { window.conversations.model.items.map(\.key) == [key] })
            let borders = await Toolkit.borders(of: window.window)
            window.window.setDefaultSize(width: 900, height: 650)
            #expect(await Toolkit.eventually { window.window.width == 900 - borders })
            // Not only when it is closed: a program can be killed.
            #expect(await Toolkit.eventually { home.preferences.values.window.width == 900 })
            window.close(permanently: true)
            #expect(home.preferences.values.window.conversation == key)
            #expect(home.preferences.values.window.width == 900)
            let next = try MainWindow.shown(context)
            #expect(await Toolkit.eventually { next.openKey == key && next.window.width == 900 - borders })
            next.close(permanently: true)
            await home.stop()
        }

        @Test("the welcome is made once, where and when it is shown")
        func welcomeOnce() async throws {
            let sample = try await TalkSample()
            func welcomes(_ window: MainWindow) -> [WidgetPointer] {
                WidgetTree.all(in: window.window.widget, gtk_label_get_type()).filter {
                    String(cString: gtk_label_get_text(OpaquePointer($0))) == "Join a Room"
                }
            }
            sample.context.windowState.conversation = sample.key
            let window = try MainWindow.shown(sample.context)
            #expect(await Toolkit.eventually { window.openKey == sample.key })
            await Toolkit.settle()
            #expect(welcomes(window).isEmpty)
            window.closeConversation()
            #expect(await Toolkit.eventually { welcomes(window).count == 1 })
            #expect(welcomes(window).allSatisfy { gtk_widget_get_mapped($0).isTrue })
            window.close(permanently: true)
            await sample.end()

            // Alone in a narrow window, it is in the place of the list.
            let home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            let narrow = try MainWindow.shown(AppContext(home: home))
            narrow.window.setDefaultSize(width: 400, height: 650)
            #expect(await Toolkit.eventually { narrow.leaflet.isFolded && welcomes(narrow).count == 1 })
            #expect(await Toolkit.eventually { welcomes(narrow).allSatisfy { gtk_widget_get_mapped($0).isTrue } })
            narrow.window.setDefaultSize(width: 1000, height: 650)
            #expect(await Toolkit.eventually { !narrow.leaflet.isFolded })
            #expect(
                await Toolkit.eventually {
                    welcomes(narrow).count == 1 && welcomes(narrow).allSatisfy { gtk_widget_get_mapped($0).isTrue }
                })
            narrow.close(permanently: true)
            await home.stop()
        }

        @Test("one field finds contacts, and takes an address; Return opens the conversation")
        func new() async throws {
            let sample = try await TalkSample(isEnabled: false)
            try await sample.save(
                StoredContact(address: sample.romeo, name: sampleWords("Romeo"), subscription: .both))
            try await sample.save(
                StoredContact(
                    address: try JID("nurse@capulet.example"), name: sampleWords("Nurse"), subscription: .both))
            let main = try MainWindow.shown(sample.context)
            #expect(await Toolkit.eventually { sample.home.contacts.rows.elements.count == 2 })
            #expect(main.window.activate("win.new"))
            let view = try #require(NewConversationWindow.show(sample.context, over: nil))
            #expect(await Toolkit.eventually { view.shown.count == 2 })
            await Toolkit.picture(view.window, "new-conversation")
            view.search.text = sampleWords("Nurse")
            #expect(await Toolkit.eventually { view.shown.count >= 1 })
            view.search.text = "tybalt@capulet.example"
            let tybalt = try JID("tybalt@capulet.example")
            // Return at once, before anything is drawn.
            view.search.emit("activate")
            #expect(view.shown == [.person(tybalt)])
            #expect(await Toolkit.eventually { main.openKey?.address == tybalt })
            #expect(await Toolkit.eventually { main.conversation?.root.containsFocus == true })
            main.close(permanently: true)
            await sample.end()
        }

        @Test(
            "the page of an account shows its address to pass on: as text, link and QR code, each copied by its button")
        func accountPage() async throws {
            let sample = try await TalkSample(isEnabled: false)
            let preferences = ProgramPreferencesWindow.show(sample.home, over: nil, account: sample.account)
            let page = try #require(preferences.account)
            #expect(await Toolkit.eventually { page.share.isMapped })
            gtk_widget_activate(page.share.widget)
            let view = try #require(page.sharing)
            #expect(await Toolkit.eventually { view.window.isMapped })
            let link = "xmpp:juliet@capulet.example?roster"
            #expect(view.code.code == QRCode(link))
            await Toolkit.picture(view.window, "account-share")
            view.copyLink.click()
            #expect(await Toolkit.eventually(asking: { (try? await Clipboard.text()) == link }))
            view.copyAddress.click()
            #expect(
                await Toolkit.eventually(asking: { (try? await Clipboard.text()) == "juliet@capulet.example" }))
            view.window.close()
            preferences.window.close()
            await sample.end()
        }

        @Test("the address can be passed on as text, link and QR code")
        func share() async throws {
            let sample = try await TalkSample(isEnabled: false)
            let account = try #require(sample.home.account(sample.account))
            let view = ShareWindow(InvitationModel(accounts: [account]) { _ in "Juliet" }, over: nil)
            view.present()
            #expect(view.model.link == "xmpp:juliet@capulet.example?roster;name=Juliet")
            #expect(await Toolkit.eventually { view.code.code != nil })
            await Toolkit.picture(view.window, "share")
            view.window.close()
            await sample.end()
        }

        @Test("without a connection the window says so: in the header bar, at the own picture, and in a narrow window")
        func offline() async throws {
            let sample = try await TalkSample()
            try await sample.say("Soft!")
            let window = try MainWindow.shown(sample.context)
            window.open(sample.key)
            let view = try #require(window.conversation)
            #expect(
                await Toolkit.eventually {
                    ["You are offline", "Connecting…"].contains(view.header.statusText)
                })
            #expect(await Toolkit.eventually { window.notice.isShown && !view.notice.isShown })
            window.window.setDefaultSize(width: 420, height: 640)
            #expect(await Toolkit.eventually { window.leaflet.isFolded && view.notice.isShown })
            await Toolkit.picture(window.window, "main-offline")
            window.close(permanently: true)
            await sample.end()
        }

        @Test("a window folds by its width, whatever its content, and the name is not cut for the buttons")
        func panes() async throws {
            let sample = try await TalkSample()
            try await sample.say("Short.", ago: 3)
            let long = try sample.key("nurse@capulet.example")
            try await sample.say(
                .text(MessageText(String(repeating: "Wolfeschlegelsteinhausenbergerdorff ", count: 30))), in: long)
            let window = try MainWindow.shown(sample.context)
            let borders = await Toolkit.borders(of: window.window)
            // With the line between the panes.
            let least = MainWindow.minimumListWidth + 1 + MainWindow.minimumConversationWidth
            // From wide to narrow: a list that fills the window has the buttons of the window, for which the way back is longer.
            for width in [900, least, least - 20] {
                window.window.setDefaultSize(width: width + borders, height: 640)
                #expect(await Toolkit.eventually { window.window.width == width })
                var folds: Set<Bool> = []
                for key in [sample.key, long, sample.key] {
                    window.open(key)
                    #expect(await Toolkit.eventually { window.conversation?.timeline.position.isOpened == true })
                    await Toolkit.settle()
                    folds.insert(window.leaflet.isFolded)
                }
                #expect(folds == [width < least], "\(width)")
                #expect(await Toolkit.eventually { window.conversation?.header.title.width ?? 0 > 30 }, "\(width)")
            }
            window.close(permanently: true)
            await sample.end()
        }
    }
}
