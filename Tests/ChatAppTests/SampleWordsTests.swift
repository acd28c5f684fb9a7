import Testing

@Suite("Sample texts of the pictures")
struct SampleWordsTests {
    @Test("each sample has a text of its own in Traditional Chinese, with the same numbers")
    func traditional() {
        let (simplified, traditional) = (sampleTranslations(to: "zh_CN"), sampleTranslations(to: "zh_TW"))
        #expect(Set(simplified.keys) == Set(traditional.keys))
        for (english, text) in traditional {
            #expect(text.contains("%@") == simplified[english]?.contains("%@"), "\(english)")
            // In these characters the two differ.
            #expect(!text.contains(/[罗密欧丽叶]{3}|[这说们个时会东图书]/), "\(text)")
        }
        #expect(sampleTranslations(to: "en").isEmpty)
    }
}
