import Testing

@testable import ChatStore

@Suite("Search")
struct SearchTests {
    private static let texts = [
        "今天的会议改到下午三点", "明日の会議は三時です", "Let's meet at three, OK?", "Ｆｕｌｌ－ｗｉｄｔｈ ＯＫ", "CAFÉ Việt Nam ΆΛΦΑ Ёлка",
        "a \"quoted\" AND __1 _ok_ NEAR(x)", "カ\u{3099}キ", "안녕하세요", "สวัสดีครับ", "👩‍💻 done 🚀", "", "   ", "中",
    ]

    @Test(
        "words are found in every script, down to one character",
        arguments: [
            ("会议", [0]), ("会議", [1]), ("三", [0, 1]), ("三点", [0]), ("下午三点", [0]), ("議は", [1]), ("中", [12]),
            ("meet", [2]), ("eet", [2]), ("thre", [2]), ("ok", [2, 3, 5]), ("O", [2, 3, 5]), ("me th", [2]),
            ("full", [3]), ("width", [3]), ("cafe", [4]), ("CAFÉ", [4]), ("viet", [4]), ("việt nam", [4]),
            ("αλφα", [4]), ("елка", [4]), ("quoted", [5]), ("AND", [5]), ("\"", []), ("ガ", [6]), ("ガキ", [6]),
            ("녕하", [7]),
            ("สวัส", [8]), ("🚀", [9]), ("👩‍💻", [9]), ("t", [2]), ("et", []), ("", []), ("  ", []), ("会点", []),
            ("議 明日", [1]),
            ("let's", [2]), ("__1", [5]), ("quoted OR meet", []),
        ] as [(String, [Int])])
    func words(query: String, expected: [Int]) async throws {
        for kind in StoreKind.allCases {
            let store = try await TestStore(kind)
            for (index, text) in Self.texts.enumerated() {
                try await store.receive(.text(text, origin: "\(index)", at: Int64(index) * 100))
            }
            let wanted = expected.reversed().map { Self.texts[$0] }
            // Both while the messages wait for the index and afterwards.
            #expect(try await store.found(query) == wanted, "\(kind), not indexed")
            if let file = store.store as? SQLiteStore {
                try await file.finishSearchIndex()
                #expect(try await store.found(query) == wanted, "\(kind), indexed")
            }
        }
    }

    @Test("results are sorted newest first and paged", arguments: StoreKind.allCases)
    func pages(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        for number in (0..<25).reversed() {
            try await store.receive(
                .text("message \(number)", origin: "\(number)", at: Int64(number) * 60, source: .delay))
        }
        if let file = store.store as? SQLiteStore { try await file.finishSearchIndex() }
        for number in 25..<30 {
            try await store.receive(
                .text("message \(number)", origin: "\(number)", at: Int64(number) * 60, source: .delay))
        }
        var found: [String] = []
        var request = SearchRequest("message", limit: 7)
        while true {
            let asked = request
            let page = try await store.store.read { store throws(StoreError) in try store.search(asked) }
            found += page.messages.map(\.text.body)
            guard let next = page.next else { break }
            request.before = next
        }
        #expect(found == (0..<30).reversed().map { "message \($0)" })
    }

    @Test("a search can be limited to one conversation or account", arguments: StoreKind.allCases)
    func scope(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("needle in a room", from: .romeoInBalcony, origin: "a", at: 1), in: store.balcony)
        try await store.receive(.text("needle here", origin: "b", at: 2))
        if let file = store.store as? SQLiteStore { try await file.finishSearchIndex() }
        let conversation = try #require(try await store.conversation()?.id)
        let here = try await store.store.read { store throws(StoreError) in
            try store.search(SearchRequest("needle", conversation: conversation)).messages.map(\.text.body)
        }
        #expect(here == ["needle here"])
        let other = AccountID(rawValue: 99)
        let none = try await store.store.read { store throws(StoreError) in
            try store.search(SearchRequest("needle", account: other)).messages
        }
        #expect(none.isEmpty)
    }

    @Test("the index follows corrections, retractions and removals")
    func upkeep() async throws {
        let store = try await TestStore(.file)
        let file = try #require(store.store as? SQLiteStore)
        let removed = try await store.receive(.text("apple", origin: "a", at: 1)).id
        try await store.receive(.text("banana", origin: "b", at: 2))
        try await store.receive(.text("cherry", origin: "c", at: 3))
        try await file.finishSearchIndex()
        try await store.receive(.with(.correction(of: .sent(id: "b"), MessageText("blueberry")), origin: "d", at: 4))
        try await store.receive(.with(.retraction(of: .sent(id: "c")), origin: "e", at: 5))
        try await store.store.write { store throws(StoreError) in try store.removeMessage(removed) }
        try await file.finishSearchIndex()
        #expect(try await store.found("apple").isEmpty)
        #expect(try await store.found("banana").isEmpty)
        #expect(try await store.found("cherry").isEmpty)
        #expect(try await store.found("blueberry") == ["blueberry"])
        // Nothing that was removed remains in the index.
        let connection = try SQLiteConnection(path: file.path, mode: .readOnly)
        for gram in ["ppl", "nan", "err"] {
            let rows = try connection.rows("SELECT rowid FROM search WHERE search MATCH ?", [.text("\"\(gram)\"")]) {
                row throws(StoreError) in row.integer(0)
            }
            #expect(rows.count == (gram == "err" ? 1 : 0), "\(gram)")
        }
        try await file.rebuildSearchIndex()
        try await file.finishSearchIndex()
        #expect(try await store.found("blueberry") == ["blueberry"])
    }
}
