public import ChatStore
internal import Foundation
public import Observation

/// Finds messages, everywhere or in one conversation, a page at a time, newest first.
@MainActor
@Observable
public final class SearchModel {
    /// Where is searched.
    public enum Scope: Hashable, Sendable {
        case everywhere
        case account(AccountID)
        case conversation(ConversationID)
    }

    /// A message that was found.
    public struct Hit: Identifiable, Hashable, Sendable {
        public let message: StoredMessage
        public let key: ConversationKey
        /// The name of its conversation.
        public let title: String
        public let senderName: String
        public let snippet: SearchSnippet

        public var id: MessageID { message.id }
    }

    public let hits: ObservableList<Hit>
    public private(set) var text = ""
    public private(set) var scope: Scope
    public private(set) var isSearching = false
    /// There are older ones: ``loadMore()``.
    public private(set) var hasMore = false
    /// Why it could not be searched, if so.
    public private(set) var problem: StoreError?

    /// So many are found at a time.
    public static let pageSize = 30

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private var next: MessageID?
    /// Counts the requests, so that an answer to an older one is not shown.
    @ObservationIgnored private var turn = 0

    public init(
        store: any LocalStore, scope: Scope = .everywhere, environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.store = store
        self.scope = scope
        hits = ObservableList(report: environment.report)
    }

    /// Looks for messages with all of the words. What was asked before is dropped, so call it at each letter.
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

    /// Finds older ones.
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

/// Where the words that are searched for stand in a text.
public enum SearchMarks {
    /// The ranges of all words, in characters, in order and never overlapping. Case, accents and width of letters do not count.
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

    private static func folded(_ character: Character) -> String {
        if character.isASCII { return character.lowercased() }
        return String(character).folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}

/// The part of a text around what was searched for, in one line, with the places of the words.
public struct SearchSnippet: Hashable, Sendable {
    public let text: String
    /// Where the words are, in characters of ``text``; in order, never overlapping.
    public let hits: [Range<Int>]

    /// So many characters stand before the first hit, so that it is seen in a narrow list.
    static let lead = 24
    static let length = 120
    /// The words are looked for in so much of a text; a hit further down shows the beginning.
    static let looked = TextFold.Limits(length: 20_000, lines: 20_000, wordLength: 1_000)

    init(of body: String, for search: String) {
        var characters: [Character] = []
        for character in TextFold(body, Self.looked).text {
            let isSpace = character.isWhitespace
            if isSpace, characters.last == " " || characters.isEmpty { continue }
            characters.append(isSpace ? " " : character)
        }
        let found = SearchMarks.ranges(of: search, in: characters)
        let first = found.first?.lowerBound ?? 0
        var start = first <= Self.lead ? 0 : first - Self.lead
        let end = min(characters.count, start + Self.length)
        // A short text is shown whole rather than cut at its beginning.
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
