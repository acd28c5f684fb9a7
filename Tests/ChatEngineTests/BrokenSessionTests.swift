import ChatFixtures
import ChatStore
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

/// What an account must not assume after a broken session.
@Suite("Broken sessions")
@MainActor
struct BrokenSessionTests {
    private static func account(_ fixture: ModelFixture) -> ChatAccount {
        ChatAccount(
            fixture.account, configuration: ClientConfiguration(address: fixture.juliet, password: ""),
            store: fixture.store)
    }

    @Test("the newest page of history stays pending until it has arrived, even if its session is resumed in between")
    func owedHistory() async throws {
        let fixture = try await ModelFixture()
        let account = Self.account(fixture)
        var actions = await account.history.pendingActions().makeAsyncIterator()
        await account.history.begin(isResumed: false)
        guard case .ask(let request)? = await actions.next() else {
            Issue.record("nothing was asked for")
            return
        }
        #expect(request.purpose == .newest && request.archive == fixture.juliet)
        // The connection breaks before the page arrives, and the session is resumed.
        await account.history.connectionLost()
        await account.history.begin(isResumed: true)
        #expect(await actions.next() == .ask(request))
        await account.history.pageCame(for: request)
        await account.history.connectionLost()
        await account.history.begin(isResumed: true)
        await account.history.sessionEnded()
        #expect(await actions.next() == nil)
    }

    @Test("what is opened while there is no session leaves nothing to be done")
    func opening() async throws {
        let fixture = try await ModelFixture()
        let account = Self.account(fixture)
        var actions = await account.history.pendingActions().makeAsyncIterator()
        for name in ["nurse", "paris", "nurse"] {
            let address = try JID("\(name)@capulet.example")
            await account.opened(ConversationKey(account: fixture.account, address: address, kind: .direct))
        }
        await account.opened(nil)
        await account.history.sessionEnded()
        #expect(await actions.next() == nil)
    }

    @Test(
        "the history of a room is requested, whether the room or the history of the account is first after a resumption"
    )
    func earlyRoom() async throws {
        let fixture = try await ModelFixture()
        let account = Self.account(fixture)
        var actions = await account.history.pendingActions().makeAsyncIterator()
        await account.history.begin(isResumed: false)
        guard case .ask(let request)? = await actions.next() else {
            Issue.record("nothing was asked for")
            return
        }
        await account.history.pageCame(for: request)
        await account.history.connectionLost()
        let room = try JID("orchard@rooms.example")
        await account.history.roomEntered(room)
        await account.history.begin(isResumed: true)
        await account.history.begin(isResumed: true)
        await account.history.sessionEnded()
        var asked: [JID] = []
        while let action = await actions.next() { if case .ask(let request) = action { asked.append(request.archive) } }
        #expect(asked == [room])
    }

    @Test("a room that was left while its history was requested does not accept queued messages")
    func roomNotEntered() async throws {
        let fixture = try await ModelFixture()
        let account = Self.account(fixture)
        let room = try JID("orchard@rooms.example")
        let request = HistoryRequest(
            archive: room, with: nil, query: StoredArchiveQuery(.backward), purpose: .newest, limit: 50)
        await account.history.pageCame(for: request)
        #expect(await account.context.queue.openRooms.isEmpty)
        // Events of the room itself open and close it.
        await account.context.queue.roomOpened(room)
        #expect(await account.context.queue.openRooms == [room])
        await account.context.queue.roomClosed(room)
        #expect(await account.context.queue.openRooms.isEmpty)
    }
}
