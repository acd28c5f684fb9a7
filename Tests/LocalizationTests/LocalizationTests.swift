import Testing

@testable import Localization

@Suite struct LocalizationTests {
    @Test("Places in a text are filled once, in the order that the translation wants")
    func places() {
        #expect(filled("%@ and %@", with: ["%@", "b"]) == "%@ and b")
        #expect(filled("%2$@, %1$@", with: ["a", "b"]) == "b, a")
        #expect(filled("100 % %@ %", with: ["x"]) == "100 % x %")
        #expect(filled("%@ %@", with: ["only"]) == "only %@")
    }

    @Test("A Chinese name stands in a Chinese sentence without spaces, a foreign one with them")
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

    @Test("The language is chosen as gettext chooses it")
    func languages() {
        func languages(_ environment: [String: String]) -> [String] { Localization.languages { environment[$0] } }
        #expect(languages(["LANG": "zh_CN.UTF-8"]).first == "zh_CN")
        #expect(languages(["LANG": "zh_SG.UTF-8"]).contains("zh_CN"))
        #expect(languages(["LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"]).first == "C")
        #expect(languages(["LANG": "de_DE.UTF-8", "LANGUAGE": "zh_CN:en"]).first == "zh_CN")
    }

    @Test("What is no catalogue is not read, wherever it is cut")
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
