import Testing

@testable import ChatModel

@Suite("Names of emoji")
struct EmojiCompletionTests {
    private func names(_ text: String) -> [String]? {
        EmojiCompletion(in: text, at: text.endIndex)?.candidates.map(\.name)
    }

    @Test("two letters behind a colon are completed, beginnings before parts")
    func completing() {
        #expect(names(":smile")?.prefix(2) == ["smile", "smiley"])
        #expect(names("Yes :SMI")?.first == "smile")
        #expect(names("(:hea")?.contains("heart") == true)
        #expect(names(":eye")?.first == "eyes")
        #expect(names(":eye")?.contains("heart_eyes") == true)
        #expect(names(":smi")?.count ?? 0 <= EmojiCompletion.candidateLimit)
        #expect(names("🌹:+1")?.first == "+1")
    }

    @Test(
        "faces, times, addresses and words are not",
        arguments: [":D", ":)", "10:30", "http://ex", "a:smile", ":qqqq", "smile", "", ":", ": smile", ":sm ile"])
    func others(text: String) { #expect(names(text) == nil) }

    @Test("a name between two colons is replaced at once")
    func finished() {
        func emoji(_ text: String) -> String? {
            EmojiCompletion.finished(in: text, at: text.endIndex).map {
                text.replacingSubrange($0.range, with: $0.emoji)
            }
        }
        #expect(emoji("Yes :smile:") == "Yes 😄")
        #expect(emoji(":+1:") == "👍")
        #expect(emoji(":nothing:") == nil && emoji("::") == nil && emoji("12:30:") == nil && emoji("") == nil)
    }

    @Test("each name is unique and each emoji is one character")
    func table() {
        let all = EmojiCompletion.all
        #expect(all.count > 250)
        #expect(Set(all.map(\.name)).count == all.count)
        for candidate in all { #expect(candidate.emoji.count == 1 && !candidate.emoji.utf8.allSatisfy { $0 < 128 }) }
    }
}

extension String {
    fileprivate func replacingSubrange(_ range: Range<String.Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
