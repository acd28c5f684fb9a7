import ChatStore
import GTKBinding
import GroupChat
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Accounts, preferences and presence")
    struct AccountTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("S0-75: each account shows the true state of its connection and the time of the next attempt")
        func accounts() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", "nurse@verona.example")
            let view = ProgramPreferencesWindow.show(home, over: nil)
            #expect(await Toolkit.eventually { home.accounts.rows.elements.allSatisfy { $0.nextAttempt != nil } })
            let row = try #require(home.accounts.rows.elements.first)
            let words = Wording.account(row, now: .now)
            #expect(words.contains("capulet.example cannot be reached"))
            #expect(words.contains("Next attempt"))
            await Toolkit.picture(view.window, "accounts")
            view.show(row.id)
            await Toolkit.picture(view.window, "account")
            view.window.closeSubpage()
            view.window.show(try #require(view.general))
            await Toolkit.picture(view.window, "preferences")
            await home.setEnabled(false, row.id)
            #expect(await Toolkit.eventually { home.accounts.rows[row.id]?.isEnabled == false })
            let off = try #require(home.accounts.rows[row.id])
            #expect(Wording.account(off, now: .now) == "Disabled")
            view.window.close()
            await home.stop()
        }

        @Test("the button that changes the password is enabled when both fields are equal; the dialog can be cancelled")
        func password() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let view = ProgramPreferencesWindow.show(
                home, over: nil, account: try #require(home.accounts.rows.elements.first?.id))
            let account = try #require(view.account)
            account.changePassword()
            func fields() -> [PasswordEntryRow] {
                account.passwordQuestion.map { [$0.first, $0.second] } ?? []
            }
            func isEnabled() -> Bool? { account.passwordQuestion?.dialog.isEnabled("change") }
            #expect(fields().count == 2 && isEnabled() == false)
            fields().first?.text = "rose"
            fields().last?.text = "ros"
            #expect(isEnabled() == false)
            fields().last?.text = "rose"
            #expect(isEnabled() == true)
            // With libadwaita 1.2, this ended the program.
            account.passwordQuestion?.dialog.close()
            #expect(await Toolkit.eventually { account.passwordQuestion == nil })
            await Toolkit.settle()
            view.window.close()
            await home.stop()
        }

        @Test("what the user has to do about an account is shown in its row")
        func needs() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", password: nil)
            let id = try #require(home.accounts.rows.elements.first?.id)
            #expect(await Toolkit.eventually { home.accounts.rows[id]?.need == .password(isRejected: false) })
            let row = try #require(home.accounts.rows[id])
            #expect(Wording.account(row, now: .now) == "The password of this account is not stored here.")
            let view = ProgramPreferencesWindow.show(home, over: nil, account: id)
            await Toolkit.picture(view.window, "account-password")
            view.window.close()
            await home.stop()
        }

        @Test("S0-79: the user's own presence is saved, and shown where it is chosen")
        func presence() async throws {
            RoomVisitor.useStyle
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let button = PresenceButton(home)
            let window = Window("Test", width: 360, height: 400, Box.vertical(button.widget.align(horizontal: .start)))
            window.present()
            await home.show(.doNotDisturb, saying: " reading ")
            #expect(home.presence.show == .doNotDisturb)
            #expect(home.preferences.values.statusText == "reading")
            button.widget.open()
            #expect(await Toolkit.eventually { button.popover.isMapped })
            await Toolkit.picture(window, "presence", with: button.popover)
            button.widget.close()
            await Toolkit.settle()
            window.destroy()
            await home.stop()
        }

        private final class Desktop: NotificationSink {
            var sent: [String] = []
            var withdrawn: [String] = []
            var last: NotificationContent?

            func send(_ notification: NotificationContent, id: String) {
                sent.append(id)
                last = notification
            }
            func withdrawNotification(_ id: String) { withdrawn.append(id) }
        }

        @Test("a message causes a notification while no window is active, which is withdrawn when it was read")
        func notifications() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let account = try #require(home.accounts.rows.elements.first?.id)
            let desktop = Desktop()
            let notifier = Notifier(home, sink: desktop) { _ in false }
            let romeo = try JID("romeo@montague.example")
            let key = ConversationKey(account: account, address: romeo, kind: .direct)
            // Only what arrives after the feed has read the existing messages is new.
            #expect(await Toolkit.eventually { notifier.feed.hasStarted })
            try await home.store.write { store throws(StoreError) in
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: romeo, originID: "1", time: .now, content: .text(MessageText("Soft!"))),
                    in: key)
            }
            #expect(await Toolkit.eventually { desktop.sent.count == 1 })
            #expect(desktop.last?.isAudible == true)
            home.preferences.values.playsSound = false
            try await home.store.write { store throws(StoreError) in
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: romeo, originID: "2", time: .now, content: .text(MessageText("Hark!"))),
                    in: key)
            }
            #expect(await Toolkit.eventually { desktop.sent.count == 2 })
            #expect(desktop.last?.isAudible == false)
            #expect(await Toolkit.eventually { !home.conversations.rows.elements.isEmpty })
            let id = try #require(home.conversations.rows.elements.first?.id)
            try await home.conversations.markRead(id, through: nil)
            #expect(await Toolkit.eventually { desktop.withdrawn == [Notifier.name(id)] })
            notifier.end()
            await home.stop()
        }

        @Test("a reply typed into a notification is queued once, and marks the message as read")
        func answers() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let account = try #require(home.accounts.rows.elements.first?.id)
            let desktop = Desktop()
            let notifier = Notifier(home, sink: desktop) { _ in false }
            let romeo = try JID("romeo@montague.example")
            let key = ConversationKey(account: account, address: romeo, kind: .direct)
            #expect(await Toolkit.eventually { notifier.feed.hasStarted })
            try await home.store.write { store throws(StoreError) in
                for (number, words) in ["Soft!", "What light?"].enumerated() {
                    _ = try store.receive(
                        MessageCopy(
                            route: .live, sender: romeo, originID: "\(number)", time: .now,
                            content: .text(MessageText(words))), in: key)
                }
            }
            #expect(await Toolkit.eventually { desktop.last?.reply != nil })
            let target = try #require(desktop.last?.reply?.action.target)
            #expect(desktop.last?.click == NotificationAction("app.open-conversation", target: target))
            notifier.reply(to: target, with: " \n")
            notifier.reply(to: "no number", with: "to nobody")
            notifier.reply(to: "987654", with: "to nobody")
            notifier.reply(to: target, with: "It is the east. \n")
            let id = ConversationID(rawValue: try #require(Int64(target)))
            #expect(await Toolkit.eventually { desktop.withdrawn.contains(Notifier.name(id)) })
            let (waiting, conversation) = try await home.store.read { store throws(StoreError) in
                (try store.sendQueue(of: account), try store.conversation(id))
            }
            #expect(waiting.count == 1)
            #expect(waiting.first?.content == .text(MessageText("It is the east.")))
            #expect(conversation?.unreadCount == 0)
            notifier.end()
            await home.stop()
        }

        @Test("the first close of the window tells that the program goes on; later ones do not")
        func background() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            await Toolkit.settle()
            let desktop = Desktop()
            let notifier = Notifier(home, sink: desktop) { _ in false }
            notifier.tellOfBackground()
            notifier.tellOfBackground()
            #expect(desktop.sent == ["background"])
            #expect(home.preferences.values.hasToldOfBackground)
            notifier.end()
            await home.stop()
        }

        @Test(
            "S2-27, S2-29: a contact request causes one notification while no window is active, withdrawn when it was answered"
        )
        func requests() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            await Toolkit.settle()
            let account = try #require(home.accounts.rows.elements.first?.id)
            let desktop = Desktop()
            var isLooking = true
            let notifier = Notifier(home, sink: desktop, isLooking: { isLooking }, isInFront: { _ in false })
            let romeo = ContactRequest(address: try JID("romeo@montague.example"), text: "We met at the feast.")
            let paris = ContactRequest(address: try JID("paris@verona.example"))
            func name(_ request: ContactRequest) -> String {
                RequestNotifier.name(ContactRequestRow.ID(account: account, address: request.address))
            }
            // A request that was pending before the start was notified then.
            isLooking = false
            let before = ContactRequest(address: romeo.address, isRepeated: true)
            home.contacts.show(requests: [before], of: account)
            await Toolkit.settle()
            #expect(desktop.sent.isEmpty)
            #expect(home.contacts.requests.elements.map(\.address) == [romeo.address])
            home.contacts.show(requests: [], of: account)
            #expect(await Toolkit.eventually { desktop.withdrawn == [name(romeo)] })
            desktop.withdrawn = []
            isLooking = true
            // An active window shows the bar instead.
            home.contacts.show(requests: [romeo], of: account)
            await Toolkit.settle()
            #expect(desktop.sent.isEmpty)
            isLooking = false
            home.contacts.show(requests: [romeo, paris], of: account)
            #expect(await Toolkit.eventually { desktop.sent == [name(paris)] })
            home.contacts.show(requests: [romeo], of: account)
            #expect(await Toolkit.eventually { desktop.withdrawn == [name(paris)] })
            await home.show(.doNotDisturb, saying: nil)
            home.contacts.show(requests: [romeo, paris], of: account)
            await Toolkit.settle()
            await home.show(.available, saying: nil)
            home.contacts.show(requests: [romeo], of: account)
            #expect(await Toolkit.eventually { desktop.withdrawn.count == 2 })
            home.preferences.values.showsNotifications = false
            home.contacts.show(requests: [romeo, paris], of: account)
            await Toolkit.settle()
            home.contacts.show(requests: [romeo], of: account)
            #expect(await Toolkit.eventually { desktop.withdrawn.count == 3 })
            #expect(desktop.sent == [name(paris)])
            notifier.end()
            await home.stop()
        }

        @Test("what a contact answered is told where its conversation is not in front")
        func contactAnswers() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            let account = try #require(home.accounts.rows.elements.first?.id)
            let desktop = Desktop()
            let (romeo, paris) = (try JID("romeo@montague.example"), try JID("paris@verona.example"))
            let notifier = Notifier(home, sink: desktop, isLooking: { true }, isInFront: { $0.address == romeo })
            var toasts: [String] = []
            notifier.showToast = { toasts.append($0) }
            for address in [romeo, paris] {
                home.contacts.onAnswer(ContactRow.ID(account: account, address: address), .accepted)
            }
            #expect(await Toolkit.eventually { toasts.count == 1 && home.conversations.all.count == 2 })
            #expect(toasts == ["paris accepted your contact request."] && desktop.sent.isEmpty)
            notifier.end()
            await home.stop()
        }

        @Test("a room invitation causes one notification while no window is active, withdrawn when it was answered")
        func invitations() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: false)
            let account = try #require(home.accounts.rows.elements.first?.id)
            let desktop = Desktop()
            var isLooking = true
            let notifier = Notifier(home, sink: desktop, isLooking: { isLooking }, isInFront: { _ in false })
            let (feast, garden) = (try JID("feast@rooms.example"), try JID("garden@rooms.example"))
            let romeo = try JID("romeo@montague.example")
            // An active window shows the bar instead.
            home.contacts.show(
                invitations: [RoomInvitation(room: feast, inviter: romeo, isMediated: false)], of: account)
            await Toolkit.settle()
            #expect(desktop.sent.isEmpty)
            isLooking = false
            let both = [
                RoomInvitation(room: feast, inviter: romeo, isMediated: false),
                RoomInvitation(room: garden, inviter: romeo, isMediated: false),
            ]
            home.contacts.show(invitations: both, of: account)
            let name = RequestNotifier.name(RoomInvitationRow.ID(account: account, room: garden))
            #expect(await Toolkit.eventually { desktop.sent == [name] })
            home.contacts.show(invitations: [both[0]], of: account)
            #expect(await Toolkit.eventually { desktop.withdrawn == [name] })
            await home.show(.doNotDisturb, saying: nil)
            home.contacts.show(invitations: both, of: account)
            await Toolkit.settle()
            #expect(desktop.sent == [name])
            notifier.end()
            await home.stop()
        }
    }
}
