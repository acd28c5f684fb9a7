import ChatModel
import ChatStore
import MessageFeatures
import Testing
import XMPPAddress

@Suite("The stanza of a message that waits")
struct MessageComposerTests {
    @Test("a message says that its writer is done, to one person and only if writing is told at all (XEP-0085 §5.1)")
    func writingIsOver() async throws {
        let (store, account, _) = try await SendPlanTests.queue()
        let queue = try await store.read { reader throws(StoreError) in try reader.sendQueue(of: account) }
        let first = try #require(queue.first)
        let romeo = try JID("romeo@example.com")
        func state(_ kind: ConversationKey.Kind, tellsTyping: Bool) -> ChatState? {
            let key = ConversationKey(account: account, address: romeo, kind: kind)
            return MessageComposer(tellsTyping: tellsTyping).stanza(for: first, to: key)?.chatState
        }
        #expect(state(.direct, tellsTyping: true) == .active)
        #expect(state(.direct, tellsTyping: false) == nil)
        #expect(state(.room, tellsTyping: true) == nil)
        // Who answers without a state is told none (XEP-0085 §5.1).
        let key = ConversationKey(account: account, address: romeo, kind: .direct)
        #expect(MessageComposer(answersStates: { _ in false }).stanza(for: first, to: key)?.chatState == nil)
    }
}
