import MessageSemantics
import Testing

@Suite("Mentions")
struct MentionRuleTests {
    private func mentions(_ names: [String], _ text: String) -> Bool {
        MentionRule.mentions(names, in: text) { $0.lowercased() }
    }

    @Test(
        "a name counts as a word of its own, in any case",
        arguments: [
            ("Al, are you there?", true), ("hello al", true), ("@AL!", true), ("also", false), ("personal", false),
            ("al_2", false), ("al2", false), ("", false), ("请问al在吗", true),
        ])
    func words(text: String, isMention: Bool) {
        #expect(mentions(["Al"], text) == isMention)
    }

    @Test("the places of names are found, without overlap")
    func places() {
        func places(_ names: [String], _ text: String) -> [Range<Int>] {
            MentionRule.ranges(of: names, in: text) { $0.lowercased() }
        }
        #expect(places(["Al"], "Al, also al!") == [0..<2, 9..<11])
        #expect(places(["Al", "al b"], "🌹 AL B") == [2..<6])
        #expect(places([], "Al") == [] && places([""], "Al") == [])
    }

    @Test("without a nickname nothing is a mention")
    func noName() {
        for text in ["", " ", "hello", "嘎"] {
            #expect(!mentions([""], text))
            #expect(!mentions([], text))
        }
        #expect(mentions(["", "goose"], "A goose!"))
    }

    @Test("Chinese is written without spaces, so a name may stand anywhere in it")
    func chinese() {
        #expect(mentions(["朱丽叶"], "请问朱丽叶在吗"))
        #expect(!mentions(["朱丽叶"], "请问朱丽在吗"))
    }
}
