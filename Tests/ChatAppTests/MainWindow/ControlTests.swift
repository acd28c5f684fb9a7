import ChatEngine
import ChatStore
import Localization
import Synchronization
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// Controls that did nothing, or something else than they said.
    @MainActor
    @Suite("Controls")
    struct ControlTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        private static let (escape, menu, enter): (UInt32, UInt32, UInt32) = (0xFF1B, 0xFF67, 0xFF0D)

        @Test("Escape closes the windows to join a room and to sign in, on their first page")
        func escape() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let before = Widget.openWindowCount
            let entry = try #require(RoomEntryWindow.show(AppContext(home: home)))
            try entry.window.click(row: "Public rooms")
            #expect(entry.view.stack.shown == "directory")
            entry.view.directory.search.emit("stop-search")
            #expect(entry.view.stack.shown == "join")
            entry.window.press(Self.escape)
            #expect(await Toolkit.eventually { Widget.openWindowCount == before })
            let signIn = SignInWindow.add(home, over: nil)
            signIn.window.press(Self.escape)
            #expect(await Toolkit.eventually { Widget.openWindowCount == before })
            await home.stop()
        }

        @Test("the line under the name of a conversation begins below the name")
        func subtitle() async throws {
            RoomVisitor.useStyle
            let sample = try await TalkSample()
            try await sample.say("But soft!")
            let (window, view) = await sample.open()
            await Toolkit.settle()
            let (title, subtitle) = (view.header.title, view.header.subtitle)
            #expect(!subtitle.text.isEmpty)
            #expect(title.contentStart(in: view.header.bar) == subtitle.contentStart(in: view.header.bar))
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("the title of a private conversation with an occupant is no button, as there is nothing to show")
        func title() async throws {
            let sample = try await TalkSample()
            let key = try sample.key("orchard@rooms.example/Romeo", .occupant)
            try await sample.say("But soft!", in: key)
            let (window, view) = await sample.open(key)
            #expect(view.header.onTitle == nil && view.header.page == nil)
            let (other, friend) = await sample.open()
            #expect(friend.header.onTitle != nil && friend.header.page != nil)
            for each in [window, other] { each.destroy() }
            for each in [view, friend] { each.close() }
            await sample.end()
        }

        @Test("files of an account whose media cannot be stored offer no download; a click says why")
        func noDownloads() async throws {
            let sample = try await TalkSample()
            let kinds: [Attachment.Kind] = [.picture, .file, .voice, .video]
            var ids: [MessageID] = []
            for (index, kind) in kinds.enumerated() {
                ids.append(
                    try await sample.say(
                        .text(MessageText("", attachments: [Attachment(kind: kind, name: "orchard")])),
                        ago: Int64(60 - index * 10)))
            }
            let (window, view) = await sample.open()
            let last = ids[3]
            #expect(await Toolkit.eventually { view.timeline.bubble(of: last)?.files.views.count == 1 })
            _ = sample.context.takePendingToasts()
            for id in ids {
                try #require(view.timeline.bubble(of: id)?.files.views.first).activate()
                #expect(
                    sample.context.takePendingToasts() == ["Files of this account cannot be stored on this computer."])
            }
            let video = try #require(view.timeline.bubble(of: last)?.files.views.first as? VideoView)
            #expect(video.play.shownTip == "Play the video")
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("the menu key opens the menu of a person in a room; a message does not cover the button to invite")
        func people() async throws {
            let sample = try await TalkSample(isEnabled: false)
            let key = try sample.key("orchard@rooms.example", .room)
            let model = RoomModel(key, store: sample.home.store, environment: sample.home.environment)
            model.show(
                RoomState(
                    isInside: true, nickname: "Jule",
                    people: [
                        RoomState.Person(nickname: "Jule", standing: .owner, isModerator: true, isOwn: true),
                        RoomState.Person(nickname: "Romeo", address: sample.romeo),
                    ]))
            let about = RoomWindow(model, sample.context)
            about.present()
            #expect(await Toolkit.eventually { about.people.list.row(at: 1)?.row?.nickname == "Romeo" })
            #expect(about.people.list.row(at: 1)?.accessibleText?.hasPrefix("Romeo") == true)
            #expect(about.people.list.focus(on: 1))
            about.people.list.press(Self.menu)
            #expect(await Toolkit.eventually { about.people.menu?.isMapped == true })
            let popover = try #require(about.people.menu)
            #expect(popover.isDestructive(item: "Ban Permanently…"))
            #expect(!popover.isDestructive(item: "Mention"))
            popover.close()
            #expect(await Toolkit.eventually { about.people.invite.isReached(in: about.window) })
            about.people.showToast(localized("%@ is invited.", sampleWords("Romeo")))
            await Toolkit.settle()
            #expect(await Toolkit.eventually { about.people.invite.isReached(in: about.window) })
            await Toolkit.picture(about.window, "room-toast")
            about.window.close()
            await sample.end()
        }

        @Test("entries that delete something are marked in the menu of a conversation")
        func destructive() async throws {
            let sample = try await TalkSample()
            try await sample.say("Soft!")
            #expect(await Toolkit.eventually { sample.home.conversations.all[sample.key] != nil })
            let row = try #require(sample.home.conversations.all[sample.key])
            let menu = sample.context.conversationMenu(row)
            let popover = Popover(menu.menu)
            #expect(popover.isDestructive(item: "Delete From This Computer…") && !popover.isDestructive(item: "Pin"))
            await sample.end()
        }

        @Test("“Connect Now” connects before the next attempt is due")
        func connecting() async throws {
            let attempts = Mutex(0)
            let home = try await ChatHome.unreachable(
                "juliet@capulet.example", onAttempt: { attempts.withLock { $0 += 1 } })
            let window = try MainWindow.shown(AppContext(home: home))
            func next() -> MessageTime? { home.accounts.rows.elements.first?.nextAttempt }
            // They become rarer.
            #expect(
                await Toolkit.eventually { next().map { $0 > MessageTime.now.advanced(by: 6_000) } ?? false })
            let (due, count) = (try #require(next()), attempts.withLock { $0 })
            #expect(await WindowCrawler.click("Connect Now", in: window.window))
            #expect(await Toolkit.eventually { attempts.withLock { $0 } > count })
            #expect(MessageTime.now < due)
            window.close(permanently: true)
            await home.stop()
        }

        @Test("“Why?” at a message that was not sent says who refused it, and what to do")
        func why() async throws {
            let sample = try await TalkSample()
            let own = try await sample.say("Bring the letter!", isOwn: true)
            let reason = FailureReason(.refused, condition: "remote-server-timeout")
            try await sample.write { store throws(StoreError) in try store.advance(own, to: .failed(reason)) }
            let (window, view) = await sample.open()
            #expect(await Toolkit.eventually { view.timeline.bubble(of: own)?.failure?.root.isVisible == true })
            #expect(await WindowCrawler.click("Why?", in: window))
            let texts = ["Message Info", "It was refused: \(Wording.failure(reason))", "Send it again later."]
            #expect(
                await Toolkit.eventually { Set(texts).isSubset(of: WindowCrawler.texts) }, "\(WindowCrawler.texts)")
            window.destroy()
            view.close()
            await sample.end()
            await WindowCrawler.close()
        }

        @Test("where Enter begins a new line in the field, it does so in a caption")
        func caption() async throws {
            for isOn in [true, false] {
                let window = OutgoingWindow(over: nil, sendsWithReturn: { isOn })
                #expect(window.pressed(KeyPress(value: Self.enter, modifiers: 0)) == isOn)
                #expect(
                    window.pressed(KeyPress(value: Self.enter, modifiers: Modifiers.control.rawValue)) == true)
                window.shownWindow.destroy()
            }
        }

        @Test("the preferences and the status text follow changes that are made elsewhere")
        func elsewhere() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            let context = AppContext(home: home)
            let preferences = ProgramPreferencesWindow.show(home, over: nil)
            let general = try #require(preferences.general)
            context.appearance.zoom(by: 1)
            let zoom = try #require(PreferenceValues.zooms.firstIndex(of: home.preferences.values.zoom))
            #expect(await Toolkit.eventually { (try? general.chosen(inRow: "Text size")) == zoom })
            home.preferences.values.playsSound.toggle()
            let isOn = home.preferences.values.playsSound
            #expect(await Toolkit.eventually { (try? general.isOn(row: "Play a sound")) == isOn })
            // A row still works after that.
            try general.click(row: "Play a sound")
            #expect(home.preferences.values.playsSound == !isOn)
            context.appearance.zoom(by: 0)
            preferences.window.close()
            let button = PresenceButton(home)
            await home.show(.available, saying: "in the orchard")
            #expect(await Toolkit.eventually { button.status.text == "in the orchard" })
            await home.stop()
        }
    }
}
