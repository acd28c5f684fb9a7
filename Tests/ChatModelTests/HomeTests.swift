import ChatFixtures
import ChatStore
import ChatStoreTesting
import Foundation
import Synchronization
import Testing
import TransportLayer
import XMPPAddress
import XMPPClient

@testable import ChatModel

@Suite("The root of all accounts, without a network")
@MainActor
struct HomeTests {
    private func home(_ accountStorage: MemoryAccountStorage, _ store: any LocalStore = MemoryStore()) -> ChatHome {
        let home = ChatHome(store: store, accountStorage: accountStorage)
        home.prepare = { configuration in
            configuration.transports = TransportFactory { _ throws(TransportError) in
                throw TransportError(.connectionRefused, "none")
            }
        }
        return home
    }

    private func until(_ condition: @MainActor () -> Bool) async {
        #expect(await eventually { condition() })
    }

    @Test("without an account the first window is the sign-in")
    func empty() async {
        let home = home(MemoryAccountStorage())
        #expect(home.phase == .starting)
        await home.start()
        #expect(home.phase == .empty)
        await home.stop()
    }

    @Test("accounts of the other program on this computer are imported; one without a password says so")
    func takenOver() async throws {
        let accountStorage = MemoryAccountStorage()
        let juliet = try JID("juliet@example.org")
        await accountStorage.save(AccountAccess(address: juliet))
        let home = home(accountStorage)
        await home.start()
        #expect(home.phase == .ready)
        let row = try #require(home.accounts.rows.elements.first)
        #expect(row.address == juliet)
        #expect(home.account(row.id)?.address == juliet)
        await until { home.accounts.rows.elements.first?.need == .password(isRejected: false) }
        await home.remove(row.id)
        #expect(home.phase == .empty)
        #expect(await accountStorage.stored.isEmpty)
        #expect(home.account(row.id) == nil)
        await home.stop()
    }

    @Test("an account that cannot reach its server shows the next attempt, and stops when it is disabled")
    func unreachable() async throws {
        let accountStorage = MemoryAccountStorage()
        let juliet = try JID("juliet@example.org")
        await accountStorage.save(AccountAccess(address: juliet))
        await accountStorage.save(password: "secret", of: juliet)
        let home = home(accountStorage)
        await home.start()
        let id = try #require(home.accounts.rows.elements.first?.id)
        await until { home.accounts.rows[id]?.nextAttempt != nil }
        #expect(home.accounts.rows[id]?.need == nil)
        await home.connectNow(id)
        await home.setEnabled(false, id)
        #expect(home.accounts.rows[id]?.connection == .offline(reason: nil, nextAttempt: nil))
        await until { home.accounts.rows[id]?.isEnabled == false }
        await home.stop()
    }

    @Test("an invalid address is reported at the field, before any request")
    func fields() async throws {
        let home = home(MemoryAccountStorage())
        await home.start()
        func failure(_ address: String, _ password: String, host: String = "", port: String = "") -> SignInFailure? {
            let model = home.signIn()
            (model.address, model.password, model.host, model.port) = (address, password, host, port)
            model.start()
            #expect(!model.isWorking)
            return model.failure
        }
        #expect(failure("", "x")?.field == .address)
        #expect(failure("juliet", "x")?.field == .address)
        #expect(failure("@example.org", "x")?.field == .address)
        #expect(failure("juliet@example.org", "")?.field == .password)
        #expect(failure("juliet@example.org", "x", host: "h", port: "70000")?.field == .port)
        #expect(failure("juliet@example.org", "x", port: "5222")?.field == .server)
        await home.stop()
    }

    @Test("an unreachable server is named in the message, and nothing is saved")
    func noServer() async throws {
        let accountStorage = MemoryAccountStorage()
        let home = home(accountStorage)
        await home.start()
        let model = home.signIn()
        (model.address, model.password) = ("xmpp:juliet@example.org ", "secret")
        model.start()
        #expect(model.isWorking)
        await model.finish()
        #expect(model.failure?.message.contains("example.org") == true)
        #expect(model.progress == .idle)
        #expect(await accountStorage.passwords.isEmpty)
        #expect(home.phase == .empty)
        await home.stop()
    }

    @Test("known preferences of another version are read; changes are saved at once")
    func preferences() async throws {
        let text = #"{"tellsTyping": false, "colourScheme": "plaid", "new": 1}"#
        let values = try JSONDecoder().decode(PreferenceValues.self, from: Data(text.utf8))
        #expect(!values.tellsTyping)
        #expect(values.colourScheme == .system)
        #expect(values.showsNotifications)
        let kept = Mutex<[PreferenceValues]>([])
        let preferences = Preferences(values) { values in
            kept.withLock { $0.append(values) }
        }
        preferences.values.tellsReceipts = false
        preferences.values.tellsReceipts = false
        preferences.values.tellsReceipts = true
        await preferences.flush()
        #expect(kept.withLock { $0.map(\.tellsReceipts) } == [false, true])
    }
}
