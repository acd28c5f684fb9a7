import Testing

@testable import SpellChecking

@Suite("Spelling")
struct SpellingTests {
    private func words(_ text: String) -> [String] {
        let scalars = Array(text.unicodeScalars)
        return SpellingWords.ranges(in: text).map { String(String.UnicodeScalarView(scalars[$0])) }
    }

    @Test("words are checked; numbers, addresses, names, code and scripts without spaces are not")
    func tokens() {
        #expect(words("Teh rose, isn't it?") == ["Teh", "rose", "isn't", "it"])
        #expect(words("“Wherefore”—art thou?") == ["Wherefore", "art", "thou"])
        #expect(words("see https://example.org/teh or juliet@capulet.example") == ["see", "or"])
        #expect(words("@Tybalt #garden /me :smile: example.org") == [])
        #expect(words("call `swift biuld` now") == ["call", "now"])
        #expect(words("4th 2b 12:30 R2D2") == [])
        #expect(words("你好 world 世界") == ["world"])
        #expect(words("Größe naïve e\u{301}tude") == ["Größe", "naïve", "e\u{301}tude"])
        #expect(words("'quoted' ’tis") == ["quoted", "tis"])
        #expect(words("") == [] && words("a I ?") == [])
        #expect(words(String(repeating: "x", count: 65)) == [])
    }

    @Test("offsets are in code points, behind emoji too")
    func offsets() {
        #expect(SpellingWords.ranges(in: "👩‍👩‍👧 teh") == [6..<9])
    }

    @Test("a misspelled word is found and corrected by the dictionary of the language")
    func english() async {
        let checker = SpellChecker(languages: ["xx_XX", "en_US", "en", "C"])
        #expect(await checker.misspelled(in: "The rose smells sweet") == [])
        #expect(await checker.misspelled(in: "Teh rose smels sweet") == [0..<3, 9..<14])
        #expect(await checker.suggestions(for: "smels").contains("smells"))
        #expect(await checker.suggestions(for: "smels").count <= SpellChecker.suggestionLimit)
    }

    @Test("a word of any of the languages is right")
    func languages() async {
        let both = SpellChecker(languages: ["de_DE", "en_US"])
        #expect(await both.misspelled(in: "Die Rose smells sweet, Schornsteinfeger") == [])
        #expect(await both.misspelled(in: "Schornstienfeger").count == 1)
    }

    @Test("without a dictionary nothing is misspelled, and text that nobody types is left alone")
    func none() async {
        let none = SpellChecker(languages: ["xx_XX", "C"])
        #expect(await none.misspelled(in: "Teh rose") == [])
        #expect(await none.suggestions(for: "Teh") == [])
        let checker = SpellChecker(languages: ["en_US"])
        #expect(await checker.misspelled(in: String(repeating: "teh ", count: 10_000)) == [])
        #expect(await checker.misspelled(in: "rose\0 \u{202E}rose").count <= 2)
    }
}
