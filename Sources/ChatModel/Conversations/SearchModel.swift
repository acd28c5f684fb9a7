public import ChatStore
internal import Foundation
public import Observation

/// Searches messages, everywhere or in one conversation, page by page, newest first.
@MainActor
@Observable
public final class SearchModel {
    /// Where to search.
    public enum Scope: Hashable, Sendable {
        case everywhere
        case account(AccountID)
        case conversation(ConversationID)
    }

    /// A message that was found.
    public struct Hit: Identifiable, Hashable, Sendable {
        public let message: StoredMessage
        public let key: ConversationKey
        /// The title of its conversation.
        public let title: String
        public let senderName: String
        public let snippet: SearchSnippet

        public var id: MessageID { message.id }
    }

    public let hits: ObservableList<Hit>
    public private(set) var text = ""
    public private(set) var scope: Scope
    public private(set) var isSearching = false
    /// Whether there are older results: ``loadMore()``.
    public private(set) var hasMore = false
    /// Why the search failed, if it did.
    public private(set) var problem: StoreError?

    /// The number of results per page.
    public static let pageSize = 30

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private var next: MessageID?
    /// Numbers the requests, so that the result of an older one is ignored.
    @ObservationIgnored private var turn = 0

    public init(
        store: any LocalStore, scope: Scope = .everywhere, environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.store = store
        self.scope = scope
        hits = ObservableList(report: environment.report)
    }

    /// Searches messages that contain all of the words. Cancels the previous search, so it can be called at each
    /// keystroke.
    public func search(_ text: String, in scope: Scope? = nil) async {
        self.text = text
        if let scope { self.scope = scope }
        turn += 1
        next = nil
        guard text.contains(where: { !$0.isWhitespace }) else {
            isSearching = false
            hasMore = false
            hits.show([])
            return
        }
        await find()
    }

    /// Loads the next page of older results.
    public func loadMore() async {
        if hasMore, !isSearching { await find() }
    }

    private func find() async {
        let mine = turn
        let before = next
        var request = SearchRequest(text, before: before, limit: Self.pageSize)
        switch scope {
        case .everywhere: break
        case .account(let account): request.account = account
        case .conversation(let conversation): request.conversation = conversation
        }
        isSearching = true
        do throws(StoreError) {
            let (found, next) = try await store.read { [request] store throws(StoreError) in
                let results = try store.search(request)
                let book = try AddressBook(store)
                var hits: [Hit] = []
                for message in results.messages {
                    guard let key = try store.conversation(message.conversation)?.key else { continue }
                    hits.append(
                        Hit(
                            message: message, key: key, title: book.title(of: key),
                            senderName: book.author(message.sender, in: key),
                            snippet: SearchSnippet(of: message.text.body, for: request.text)))
                }
                return (hits, results.next)
            }
            guard mine == turn else { return }
            self.next = next
            hasMore = next != nil
            problem = nil
            hits.show((before == nil ? [] : hits.elements) + found)
        } catch {
            guard mine == turn else { return }
            problem = error
        }
        isSearching = false
    }
}

/// Finds the words of a search in a text.
public enum SearchMarks {
    /// The ranges of all words, in characters, in ascending order without overlap. Ignores case, accents and width.
    public static func ranges(of search: String, in text: String) -> [Range<Int>] {
        ranges(of: search, in: Array(text))
    }

    static func ranges(of search: String, in characters: [Character]) -> [Range<Int>] {
        let words = search.split(whereSeparator: \.isWhitespace).map { word in word.map { Self.folded($0) } }
        guard !words.isEmpty else { return [] }
        let folded = characters.map { Self.folded($0) }
        var found: [Range<Int>] = []
        for word in words where !word.isEmpty && word.count <= folded.count {
            for start in 0...(folded.count - word.count)
            where folded[start] == word[0] && folded[start..<start + word.count].elementsEqual(word) {
                found.append(start..<start + word.count)
            }
        }
        found.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var joined: [Range<Int>] = []
        for range in found {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// Where a person's name occurs as a whole word, in characters.
    public static func names(of name: String, in text: String) -> [Range<Int>] {
        MentionRule.ranges(of: [name], in: text) { $0.map { folded($0) }.joined() }
    }

    private static func folded(_ character: Character) -> String {
        if character.isASCII { return character.lowercased() }
        return String(character).folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}

/// The part of a text around the matches of a search, in one line.
public struct SearchSnippet: Hashable, Sendable {
    public let text: String
    /// The ranges of the matches, in characters of ``text``, in ascending order without overlap.
    public let hits: [Range<Int>]

    /// The number of characters before the first match, so that it is visible in a narrow list.
    static let lead = 24
    static let length = 120
    /// How much of a text is searched; with a match further down the beginning is shown.
    static let looked = TextFold.Limits(length: 20_000, lines: 20_000, wordLength: 1_000)

    /// The first beginning of a word from a position on, but not after the match; where words have no spaces between
    /// them, the position itself.
    public static func wordStart(in characters: [Character], at start: Int, before match: Int) -> Int {
        guard start > 0, start < match, !characters[start - 1].isWhitespace else { return start }
        return characters[start..<match].firstIndex(where: \.isWhitespace).map { $0 + 1 } ?? start
    }

    init(of body: String, for search: String) {
        var characters: [Character] = []
        for character in TextFold(body, Self.looked).text {
            let isSpace = character.isWhitespace
            if isSpace, characters.last == " " || characters.isEmpty { continue }
            characters.append(isSpace ? " " : character)
        }
        let found = SearchMarks.ranges(of: search, in: characters)
        let first = found.first?.lowerBound ?? 0
        var start = first <= Self.lead ? 0 : Self.wordStart(in: characters, at: first - Self.lead, before: first)
        let end = min(characters.count, start + Self.length)
        // It begins with a whole word, if words are separated at all.
        if start > 0, let space = characters[start..<first].firstIndex(of: " ") { start = space + 1 }
        // A short text is not cut at its beginning.
        if characters.count <= Self.length { start = 0 }
        let prefix = start > 0 ? "…" : ""
        text = prefix + String(characters[start..<end]) + (end < characters.count ? "…" : "")
        var hits: [Range<Int>] = []
        for range in found where range.lowerBound >= start && range.upperBound <= end {
            let shifted = range.lowerBound - start + prefix.count..<range.upperBound - start + prefix.count
            hits.append(shifted)
        }
        self.hits = hits
    }
}
