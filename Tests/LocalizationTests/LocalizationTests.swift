import Testing

@testable import Localization

@Suite struct LocalizationTests {
    @Test("Placeholders of a text are replaced once, in the order of the translation")
    func places() {
        #expect(filled("%@ and %@", with: ["%@", "b"]) == "%@ and b")
        #expect(filled("%2$@, %1$@", with: ["a", "b"]) == "b, a")
        #expect(filled("100 % %@ %", with: ["x"]) == "100 % x %")
        #expect(filled("%@ %@", with: ["only"]) == "only %@")
    }

    @Test("A Chinese name has no spaces around it in a Chinese sentence, a foreign one does")
    func spaces() {
        #expect(filled("屏蔽 %@？", with: ["奶妈"]) == "屏蔽奶妈？")
        #expect(filled("屏蔽 %@？", with: ["Nurse"]) == "屏蔽 Nurse？")
        #expect(filled("你和 %@ 都能看到", with: ["奶妈"]) == "你和奶妈都能看到")
        #expect(filled("你和 %@ 都能看到", with: ["Nurse 二号"]) == "你和 Nurse 二号都能看到")
        #expect(filled("%2$@ 的 %1$@", with: ["图片", "罗密欧"]) == "罗密欧的图片")
        #expect(filled("%@ %@ 秒后重试。", with: ["无法连接。", "3"]) == "无法连接。3 秒后重试。")
        #expect(filled("Block %@ now?", with: ["奶妈"]) == "Block 奶妈 now?")
        #expect(filled("%@ and %@", with: ["奶妈", "罗密欧"]) == "奶妈 and 罗密欧")
    }

    @Test("one word has another translation in another context")
    func contexts() throws {
        let catalogue = try #require(
            MessageCatalogue(Self.catalogue([("People", "参与者"), ("filter\u{4}People", "私聊")])))
        #expect(catalogue["People"] == "参与者")
        #expect(catalogue["People", context: "filter"] == "私聊")
        #expect(catalogue["People", context: "window"] == nil)
        #expect(localized("People", context: "filter") == "People")
    }

    @Test("The language is selected like in gettext")
    func languages() {
        func languages(_ environment: [String: String]) -> [String] { Localization.languages { environment[$0] } }
        #expect(languages(["LANG": "zh_CN.UTF-8"]).first == "zh_CN")
        #expect(languages(["LANG": "zh_SG.UTF-8"]).contains("zh_CN"))
        #expect(languages(["LANG": "zh_TW.UTF-8"]).first == "zh_TW")
        #expect(languages(["LANG": "zh_HK.UTF-8"]).last == "zh_TW")
        #expect(!languages(["LANG": "zh_TW.UTF-8"]).contains("zh_CN"))
        #expect(languages(["LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"]).first == "C")
        #expect(languages(["LANG": "de_DE.UTF-8", "LANGUAGE": "zh_CN:en"]).first == "zh_CN")
    }

    /// A language with a dual: one form for 1, 21, 31 …, one for 2 to 4, 22 to 24 …, one for all others.
    private static let slavic = """
        nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);
        """

    /// The bytes of a catalogue as msgfmt writes them.
    private static func catalogue(_ entries: [(String, String)]) -> [UInt8] {
        var table: [UInt8] = []
        var texts: [UInt8] = []
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
        for text in entries.map(\.0) + entries.map(\.1) {
            table += number(text.utf8.count) + number(28 + 16 * entries.count + texts.count)
            texts += Array(text.utf8) + [0]
        }
        let header = [0x9504_12DE, 0, entries.count, 28, 28 + 8 * entries.count, 0, 0]
        return header.flatMap(number) + table + texts
    }

    @Test("a counted text has as many forms as the language needs")
    func plurals() throws {
        let catalogue = try #require(
            MessageCatalogue(
                Self.catalogue([
                    ("", "Language: xx\nPlural-Forms: \(Self.slavic)\n"),
                    ("%@ goose\0%@ geese", "%@ gus\0%@ gusa\0%@ gusu"),
                    ("%@ duck\0%@ ducks", "%@ utka"), ("both", "oba"),
                ])))
        let expected = [
            0: "gusu", 1: "gus", 2: "gusa", 4: "gusa", 5: "gusu", 11: "gusu", 12: "gusu", 21: "gus", 22: "gusa",
            111: "gusu",
            -1: "gus",
        ]
        for (count, text) in expected { #expect(catalogue["%@ goose", count: count] == "%@ " + text) }
        #expect(catalogue["%@ duck", count: 1] == "%@ utka")
        #expect(catalogue["%@ duck", count: 2] == nil, "A form that is missing is not replaced by another.")
        #expect(catalogue["%@ swan", count: 1] == nil)
        #expect(catalogue["both"] == "oba")
    }

    @Test("without a translation a counted text has the two forms of English")
    func english() {
        #expect(localized("%@ goose", plural: "%@ geese", count: 1) == "1 goose")
        #expect(localized("%@ goose", plural: "%@ geese", count: 0) == "0 geese")
        #expect(localized("%@ goose in %@", plural: "%@ geese in %@", count: 2, 2, "Verona") == "2 geese in Verona")
    }

    @Test(
        "a plural rule is evaluated like in C",
        arguments: [
            ("nplurals=1; plural=0;", [0, 0, 0, 0]), ("nplurals=2; plural=n>1;", [0, 0, 1, 1]),
            ("nplurals=2; plural=!(n == 1)", [1, 0, 1, 1]), ("nplurals=4; plural=n", [0, 1, 2, 3]),
            ("nplurals=4; plural=n-1*2+2", [0, 1, 2, 3]), ("nplurals=2; plural=6/2%2==1 && n<=2", [1, 1, 1, 0]),
            ("nplurals=3; plural=n==0 ? 2 : n==1 ? 1 : 0", [2, 1, 0, 0]),
        ])
    func rule(text: String, forms: [Int]) throws {
        let rule = try #require(PluralRule(text))
        #expect((0..<4).map { rule.form(for: $0) } == forms)
    }

    @Test(
        "an invalid plural rule is rejected, and a form that does not exist is not used",
        arguments: [
            "", "plural=0", "nplurals=2", "nplurals=0; plural=0", "nplurals=1000000; plural=n", "nplurals=2; plural=",
            "nplurals=2; plural=n==", "nplurals=2; plural=(n", "nplurals=2; plural=n)", "nplurals=2; plural=m",
            "nplurals=2; plural=n ? 1", "nplurals=2; plural=99999999999999999999",
            "nplurals=2; plural=" + String(repeating: "(", count: 900),
            "nplurals=2; plural=" + String(repeating: "!", count: 900) + "n",
        ])
    func noRule(text: String) throws {
        #expect(PluralRule(text) == nil)
        #expect(try #require(PluralRule("nplurals=2; plural=n/0")).form(for: 1) == nil)
        #expect(try #require(PluralRule("nplurals=2; plural=n%0")).form(for: 1) == nil)
        #expect(try #require(PluralRule("nplurals=2; plural=n")).form(for: 2) == nil)
    }

    @Test("An invalid catalogue is rejected, wherever it is truncated")
    func damagedCatalogue() {
        var bytes: [UInt8] = [
            0xDE, 0x12, 0x04, 0x95, 0, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
        bytes += [2, 0, 0, 0, 44, 0, 0, 0, 3, 0, 0, 0, 47, 0, 0, 0] + Array("hi\u{0}嗨\u{0}".utf8)
        #expect(MessageCatalogue(bytes)?["hi"] == "嗨")
        for length in 0..<50 where length < bytes.count - 1 {
            #expect(MessageCatalogue(Array(bytes.prefix(length))) == nil)
        }
        #expect(MessageCatalogue(Array(repeating: 0xFF, count: 100)) == nil)
    }
}
