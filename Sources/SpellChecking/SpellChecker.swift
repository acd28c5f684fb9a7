internal import CEnchant
internal import Dispatch

/// Finds misspelled words, by the dictionaries of the user's languages.
///
///     let checker = SpellChecker(languages: ["de_DE", "de", "en_GB"])
///     await checker.misspelled(in: "Teh rose")      // [0..<3]
///     await checker.suggestions(for: "Teh")         // ["The", "Tea", …]
///
/// A word is right if it is in a dictionary of any of the languages. Without any dictionary every word is right.
public final actor SpellChecker {
    private let executor = QueueExecutor(label: "spelling")
    private let languages: [String]
    /// Opened at the first use.
    private var dictionaries: Dictionaries?
    /// Which of the words that were checked are right.
    private var known: [String: Bool] = [:]

    /// How many words are remembered.
    static let knownLimit = 4_096
    /// How much of a text is checked, in bytes: longer ones are pasted, not written.
    static let textLimit = 20_000
    static let suggestionLimit = 6

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter languages: the preferred languages, such as `en_GB`; those without a dictionary are ignored.
    public init(languages: [String]) { self.languages = languages }

    /// The ranges of misspelled words, in Unicode code points.
    public func misspelled(in text: String) -> [Range<Int>] {
        guard text.utf8.count <= Self.textLimit, !open().isEmpty else { return [] }
        let scalars = Array(text.unicodeScalars)
        return SpellingWords.ranges(in: text).filter { range in
            !isRight(String(String.UnicodeScalarView(scalars[range])))
        }
    }

    /// Words that may be meant, the likeliest first.
    public func suggestions(for word: String) -> [String] {
        guard word.unicodeScalars.count <= SpellingWords.maximumLength else { return [] }
        var found: [String] = []
        for suggestion in open().suggestions(for: word) where !found.contains(suggestion) { found.append(suggestion) }
        return Array(found.prefix(Self.suggestionLimit))
    }

    /// Adds a word to the user's own, for this and other programs.
    public func learn(_ word: String) {
        open().learn(word)
        known = [:]
    }

    private func open() -> Dictionaries {
        if let dictionaries { return dictionaries }
        let opened = Dictionaries(languages)
        dictionaries = opened
        return opened
    }

    private func isRight(_ word: String) -> Bool {
        if let answer = known[word] { return answer }
        let answer = open().contain(word)
        if known.count >= Self.knownLimit { known = [:] }
        known[word] = answer
        return answer
    }
}

/// The open dictionaries of Enchant, which are used on one thread at a time only.
private final class Dictionaries {
    private let broker: OpaquePointer?
    private var open: [OpaquePointer] = []

    init(_ languages: [String]) {
        broker = enchant_broker_init()
        var names: [String] = []
        for language in languages where !names.contains(language) && language != "C" && language != "POSIX" {
            names.append(language)
        }
        for name in names where enchant_broker_dict_exists(broker, name) != 0 {
            // `de` beside `de_DE` would be the same dictionary once more.
            if names.contains(where: { $0.hasPrefix(name + "_") && enchant_broker_dict_exists(broker, $0) != 0 }) {
                continue
            }
            if let dictionary = enchant_broker_request_dict(broker, name) { open.append(dictionary) }
        }
    }

    deinit {
        for dictionary in open { enchant_broker_free_dict(broker, dictionary) }
        enchant_broker_free(broker)
    }

    var isEmpty: Bool { open.isEmpty }

    func contain(_ word: String) -> Bool {
        // A negative answer is an error of a dictionary.
        open.isEmpty || open.contains { enchant_dict_check($0, word, word.utf8.count) <= 0 }
    }

    func suggestions(for word: String) -> [String] {
        open.flatMap { dictionary -> [String] in
            var count = 0
            guard let words = enchant_dict_suggest(dictionary, word, word.utf8.count, &count) else { return [] }
            defer { enchant_dict_free_string_list(dictionary, words) }
            return (0..<count).compactMap { words[$0].flatMap { String(validatingCString: $0) } }
        }
    }

    func learn(_ word: String) {
        if let first = open.first { enchant_dict_add(first, word, word.utf8.count) }
    }
}

/// Runs an actor on a queue of its own: dictionaries are read from the disk.
private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
