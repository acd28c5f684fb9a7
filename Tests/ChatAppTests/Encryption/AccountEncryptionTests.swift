import ChatEngine
import ChatStore
import GTKBinding
import KeyFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("The encryption of an account")
    struct AccountEncryptionTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("the page of an account shows the saved choice, and saves another one")
        func choice() async throws {
            let sample = try await EncryptionSample()
            var saved: [EncryptionPolicy?] = []
            let group = AccountEncryptionGroup(hasKeys: true) {
                .always
            } save: {
                saved.append($0)
            }
            #expect(await Toolkit.eventually { group.policy.selected == 2 })
            await Toolkit.settle()
            #expect(saved.isEmpty)
            group.policy.selected = 1
            #expect(await Toolkit.eventually { saved == [.whenPossible] })
            group.policy.selected = 0
            #expect(await Toolkit.eventually { saved == [.whenPossible, nil] })
            #expect(group.devices.isVisible)
            let page = PreferencesPage()
            page.add(group.root)
            let window = Window("juliet@capulet.example", width: 460, height: 300, over: nil, page)
            window.present()
            await Toolkit.picture(window, "account-encryption")
            window.destroy()
            await sample.talk.end()
        }

        @Test("an opened link with fingerprints asks before it verifies, also for our own account")
        func link() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            let digits = EncryptionSample.digits(1_618_033)
            let request = try #require(
                VerificationRequest("xmpp:romeo@montague.example?omemo-sid-1618033=\(digits)"))
            sample.talk.context.links.open(request)
            let stored = try await sample.keys.devices(of: sample.talk.romeo)
            #expect(stored[2].trust == .undecided)
            // Without encryption there is nothing to verify.
            sample.talk.context.encryption.service = { _ in nil }
            sample.talk.context.links.open(request)
            #expect(
                sample.talk.context.takePendingToasts() == [
                    "This account does not use encryption. You can turn it on in its settings."
                ])
            await sample.talk.end()
        }

        @Test("a person in a room has devices to show where the address is known and the account encrypts")
        func person() throws {
            let rights = RoomRights(nil)
            func actions(_ address: JID?, hasKeys: Bool) -> [RoomPersonAction] {
                let person = RoomState.Person(nickname: "Nurse", address: address)
                return RoomPersonAction.allowed(with: person, rights, hasKeys: hasKeys).flatMap(\.self)
            }
            let nurse = try JID("nurse@verona.example")
            #expect(actions(nurse, hasKeys: true).contains(.devices))
            #expect(!actions(nurse, hasKeys: false).contains(.devices))
            #expect(!actions(nil, hasKeys: true).contains(.devices))
        }
    }
}
