import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Search")
@MainActor
struct SearchModelTests {
    @Test("everywhere or in one conversation, newest first, page by page")
    func pages() async throws {
        let fixture = try await ModelFixture()
        try await fixture.fill(0..<70)
        let nurse = try fixture.key("nurse@capulet.example")
        try await fixture.receive("A number of things", id: "n", at: 10_000, in: nurse)
        let search = SearchModel(store: fixture.store)
        await search.search("number")
        #expect(search.hits.elements.count == SearchModel.pageSize)
        #expect(search.hits.elements.first?.title == "nurse")
        #expect(search.hits.elements[1].snippet.text == "Number 69")
        #expect(search.hits.elements[1].snippet.hits == [0..<6])
        let mirror = Mirror(search.hits)
        await search.loadMore()
        #expect(mirror.takeSteps().count == 1)
        await search.loadMore()
        #expect(search.hits.elements.count == 71)
        #expect(!search.hasMore)
        let conversation = try #require(search.hits.elements.last?.message.conversation)
        await search.search("number", in: .conversation(conversation))
        #expect(search.hits.elements.first?.title == "romeo")
        await search.search("  ")
        #expect(search.hits.elements.isEmpty)
    }

    @Test("of two concurrent requests the result of the later one is shown")
    func overtaken() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("alpha", id: "a", at: 1)
        try await fixture.receive("beta", id: "b", at: 2)
        let search = SearchModel(store: fixture.store)
        async let first: Void = search.search("alpha")
        async let second: Void = search.search("beta")
        _ = await (first, second)
        #expect(search.hits.elements.map(\.message.text.body) == [search.text])
        #expect(!search.isSearching)
    }

    @Test(
        "snippets show the first match and highlight all visible ones",
        arguments: [
            ("张三说你好", "你好", "张三说你好", [3..<5]), ("Ein\n  *Café*", "cafe", "Ein *Café*", [5..<9]),
            ("aaa", "aa", "aaa", [0..<3]), ("nothing", "x", "nothing", []),
        ] as [(String, String, String, [Range<Int>])])
    func snippets(body: String, words: String, text: String, hits: [Range<Int>]) async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive(body, id: "a", at: 1)
        let search = SearchModel(store: fixture.store)
        await search.search(words)
        guard let hit = search.hits.elements.first else {
            #expect(hits.isEmpty)
            return
        }
        #expect(hit.snippet.text == text)
        #expect(hit.snippet.hits == hits)
    }

    @Test("in a long text the snippet starts a little before the match")
    func long() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive(
            String(repeating: "word ", count: 100) + "needle " + String(repeating: "word ", count: 100), id: "a", at: 1)
        let search = SearchModel(store: fixture.store)
        await search.search("needle")
        let snippet = try #require(search.hits.elements.first?.snippet)
        let hit = try #require(snippet.hits.first)
        #expect(snippet.text.hasPrefix("…") && snippet.text.hasSuffix("…"))
        #expect(String(Array(snippet.text)[hit]) == "needle")
        #expect(hit.lowerBound < 30)
        #expect(snippet.text.count < 130)
    }

    @Test("a snippet begins with a whole word, where words have spaces between them")
    func wordStart() {
        let text = Array("How are the roses in the garden?")
        #expect(SearchSnippet.wordStart(in: text, at: 2, before: 12) == 4)
        #expect(SearchSnippet.wordStart(in: text, at: 4, before: 12) == 4)
        #expect(SearchSnippet.wordStart(in: text, at: 0, before: 12) == 0)
        #expect(SearchSnippet.wordStart(in: Array("鸿雁传书平安到了"), at: 2, before: 6) == 2)
    }
}
