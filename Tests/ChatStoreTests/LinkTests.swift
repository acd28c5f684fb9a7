import MessagePayloads
import Testing
import XMPPAddress

@testable import ChatStore

@Suite("What is behind links")
struct LinkTests {
    @Test(
        "the description of a link is stored with the text, follows corrections, and goes with the message",
        arguments: StoreKind.allCases)
    func stored(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let one = LinkDescription(of: "https://example.org/1", title: "One 🌹", summary: "\"quoted\"", site: "Example")
        let two = LinkDescription(of: "https://example.org/2", title: "Two")
        func say(_ content: MessageContent, _ id: String, at time: Int64) async throws {
            _ = try await store.receive(.with(content, id: id, origin: id, at: time))
        }
        func link() async throws -> LinkDescription? { try await store.timeline().last?.text.link }
        try await say(.text(MessageText("no link")), "a", at: 1)
        #expect(try await link() == nil)
        try await say(.text(MessageText("https://example.org/1", link: one)), "b", at: 2)
        #expect(try await link() == one)
        try await say(.correction(of: .sent(id: "b"), MessageText("https://example.org/2", link: two)), "c", at: 3)
        #expect(try await link() == two)
        try await say(.correction(of: .sent(id: "b"), MessageText("nothing")), "d", at: 4)
        #expect(try await link() == nil)
        try await say(.text(MessageText("https://example.org/1", link: one)), "e", at: 5)
        try await say(.retraction(of: .sent(id: "e")), "f", at: 6)
        #expect(try await store.timeline().last?.isRetracted == true)
        #expect(try await link() == nil)
    }
}
