import ChatStore
import MessageFeatures
import Testing
import XMPPAddress

@testable import ChatEngine

@Suite("Typing table")
struct TypingTableTests {
    private let account = AccountID(rawValue: 1)

    private func key(_ address: String, _ kind: ConversationKey.Kind = .direct) throws -> ConversationKey {
        ConversationKey(account: account, address: try JID(address), kind: kind)
    }

    @Test("strangers share a few entries, the oldest is dropped, and known people are always shown")
    func strangers() throws {
        var table = TypingTable()
        let friend = try key("friend@xmpp.test")
        #expect(table.set(.composing, of: try JID("friend@xmpp.test/a"), in: friend, isKnown: true) == [friend])
        for number in 0..<1000 {
            let stranger = try key("s\(number)@evil.test")
            for device in 0..<3 {
                let changed = table.set(
                    .composing, of: try JID("s\(number)@evil.test/\(device)"), in: stranger, isKnown: false)
                #expect(changed.first == stranger && changed.count <= 2)
            }
        }
        #expect(table.states.count == TypingTable.strangers + 1)
        #expect(table.states[friend]?.count == 1)
        let newest = try key("s999@evil.test")
        #expect(table.states[newest]?.keys.map(\.resource) == ["2"], "one device, the last")
        let (first, other) = (try key("s984@evil.test"), try key("other@xmpp.test"))
        #expect(table.keys.contains(first))
        #expect(table.set(.composing, of: try JID("other@xmpp.test/a"), in: other, isKnown: true) == [other])
        #expect(table.keys.contains(first))
    }

    @Test("the number of writers per conversation is limited, and the oldest is dropped")
    func writers() throws {
        var table = TypingTable()
        let room = try key("room@rooms.test", .room)
        for number in 0..<200 {
            _ = table.set(.composing, of: try JID("room@rooms.test/\(number)"), in: room, isKnown: true)
        }
        #expect(table.states[room]?.count == TypingTable.writers)
        #expect(table.states[room]?[try JID("room@rooms.test/199")] == .composing)
        #expect(table.states[room]?[try JID("room@rooms.test/0")] == nil)
    }

    @Test("stopping removes the entry, and a repeated state is no change")
    func stopped() throws {
        var table = TypingTable()
        let (friend, device) = (try key("friend@xmpp.test"), try JID("friend@xmpp.test/a"))
        #expect(table.set(nil, of: device, in: friend, isKnown: true) == [])
        #expect(table.set(.composing, of: device, in: friend, isKnown: true) == [friend])
        #expect(table.set(.composing, of: device, in: friend, isKnown: true) == [])
        #expect(table.set(.paused, of: device, in: friend, isKnown: true) == [friend])
        #expect(table.set(nil, of: device, in: friend, isKnown: true) == [friend])
        #expect(table.keys.isEmpty)
    }
}
