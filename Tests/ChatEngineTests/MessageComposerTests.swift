import ChatEngine
import ChatStore
import MessageFeatures
import Testing
import XMPPAddress
import XMPPStanzas

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
            return MessageComposer(tellsState: { $0 == romeo && tellsTyping }).stanza(for: first, to: key)?.chatState
        }
        #expect(state(.direct, tellsTyping: true) == .active)
        #expect(state(.direct, tellsTyping: false) == nil)
        #expect(state(.room, tellsTyping: true) == nil)
    }

    @Test(
        "P12: the quotation of an answer is cut: lines, the length of each, and all together",
        arguments: [
            ("short", "> short\n"), ("a\nb", "> a\n> b\n"), ("", "> \n"), ("a\n", "> a\n> \n"),
            (String(repeating: ">", count: 70_000), "> \(String(repeating: ">", count: 200))…\n"),
            ("好\n" + String(repeating: "x", count: 200) + "\ny", "> 好\n> \(String(repeating: "x", count: 200))\n> y\n"),
            (
                Array(repeating: String(repeating: "y", count: 500), count: 9).joined(separator: "\n"),
                String(repeating: "> \(String(repeating: "y", count: 200))…\n", count: 3) + "> …\n"
            ),
            (
                Array(repeating: "z", count: 20).joined(separator: "\n"), String(repeating: "> z\n", count: 8) + "> …\n"
            ),
        ])
    func quotation(text: String, quoted: String) throws {
        let message = Message(to: try JID("romeo@example.com"), body: "yes")
            .replying(MessageReply(to: "1"), quoting: text)
        #expect(message.body == quoted + "yes")
        #expect(message.bodyWithoutQuotation == "yes")
    }
}

extension Message {
    /// What programs show that know replies.
    fileprivate var bodyWithoutQuotation: String? {
        guard let end = (try? payload(FallbackIndication.self))??.bodyRegions.first?.end, let body else { return nil }
        return String(String.UnicodeScalarView(body.unicodeScalars.dropFirst(end)))
    }
}
