import Foundation
import ProgramFixtures
import ServerFixtures
import Testing

@testable import CommandLine

@Suite struct TranslationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The texts in the sources that are looked up in a catalogue.
    private static func texts() throws -> Set<String> {
        let literal = #""((?:[^"\\]|\\.)*)""#
        let patterns = [
            #"localized\(\s*"# + literal + #"(?!,\s*context:)"#, #"\bPhrase\(\s*"# + literal, #"plural:\s*"# + literal,
            #"summary:\s*"# + literal,
            #"\.init\(\s*"[a-z-]+",\s*(?:letter:\s*"\w",\s*)?(?:value:\s*"[^"]*",\s*)?"# + literal,
            #"\("/[a-z]+",\s*"[^"]*",\s*"# + literal,
        ]
        var texts: Set<String> = []
        for folder in [
            "Sources/CommandLine", "Sources/TerminalApp", "Sources/UserProfile", "Sources/ChatApp",
            "Sources/ChatEngine", "Sources/ChatModel", "Sources/Automation",
        ] {
            let files = FileManager.default.enumerator(atPath: root + "/" + folder)
            while let file = files?.nextObject() as? String {
                guard file.hasSuffix(".swift") else { continue }
                let source = try String(contentsOfFile: "\(root)/\(folder)/\(file)", encoding: .utf8)
                for pattern in patterns {
                    let expression = try NSRegularExpression(pattern: pattern)
                    let all = NSRange(source.startIndex..., in: source)
                    for match in expression.matches(in: source, range: all) {
                        if let range = Range(match.range(at: 1), in: source) { texts.insert(String(source[range])) }
                    }
                }
                for match in source.matches(of: /localized\(\s*"([^"]*)",\s*context: "([^"]*)"\)/) {
                    texts.insert("\(match.2)\u{4}\(match.1)")
                }
            }
        }
        return texts
    }

    @Test(
        "every text of the programs is in every catalogue, with the same placeholders",
        arguments: ["zh_CN", "zh_TW"])
    func complete(_ language: String) throws {
        let catalogue = try String(contentsOfFile: "\(Self.root)/po/\(language).po", encoding: .utf8)
        var translations: [String: String] = [:]
        var original = ""
        var plural: String?
        var context = ""
        for line in catalogue.split(separator: "\n") {
            if line.hasPrefix("msgctxt \"") { context = String(line.dropFirst(9).dropLast()) + "\u{4}" }
            if line.hasPrefix("msgid \"") {
                (original, plural, context) = (context + String(line.dropFirst(7).dropLast()), nil, "")
            }
            if line.hasPrefix("msgid_plural \"") { plural = String(line.dropFirst(14).dropLast()) }
            if line.hasPrefix("msgstr \"") { translations[original] = String(line.dropFirst(8).dropLast()) }
            // Chinese has one form for both forms of English.
            if line.hasPrefix("msgstr[0] \"") {
                for text in [original, plural].compactMap(\.self) {
                    translations[text] = String(line.dropFirst(11).dropLast())
                }
            }
        }
        let texts = try Self.texts()
        #expect(texts.contains { $0.contains("\u{4}") })
        for text in texts {
            let translation = try #require(translations[text], "missing: \(text)")
            #expect(!translation.isEmpty)
            #expect(Self.places(of: translation) == Self.places(of: text), "\(text)")
        }
    }

    /// The number of arguments, in order or by number.
    private static func places(of text: String) -> Int {
        text.ranges(of: "%@").count + text.ranges(of: "$@").count
    }

    @Test("the traditional catalogue has no simplified character, and words as they are used in Taiwan")
    func traditional() throws {
        let catalogue = try String(contentsOfFile: "\(Self.root)/po/zh_TW.po", encoding: .utf8)
        let texts = catalogue.split(separator: "\n").filter { $0.hasPrefix("msgstr") }.joined(separator: "\n")
        let simplified = Set(
            "与丢两个为么书仅从们优会传体侧关内册写决准几击则创删别务动劳区协单占参双发变号后吗听启员响团围图场坏处备复头夹学宁实对导将尝尽属带帮并库应开张归录径态总"
                + "愿护报担择换据损断无旧时显暂术机权条来构标样档检欢没浅测状环现电监码确离种称签简类级线组终绍经结给络绝统继续维编缩网联获装见规视觉认议记讲许论设访证识词"
                + "试话该语误说请诺读谁账质贴费资车转软载较辑输边达过运还这进连选邮释钟链销锁错键长闭问间阅际随隐页顶项顺须频题额风验麦")
        // Written the same way in both.
        let shared = Set("准几占后并内别侧")
        let wrong = texts.filter { simplified.subtracting(shared).contains($0) }
        #expect(wrong.isEmpty, "\(wrong)")
        for word in ["信息", "視頻", "默認", "程序", "文件夾", "軟件", "賬號", "群聊", "屏蔽", "登錄", "服務器", "鼠標", "網絡"] {
            #expect(!texts.contains(word), "\(word)")
        }
    }

    @Test("the programs speak Chinese even if the system has no Chinese locale; JSON is unchanged")
    func chinese() async throws {
        let home = try ProgramHome()
        let language = ["LC_ALL": "", "LANG": "zh_CN.UTF-8", "HONGYAN_LOCALE_DIR": try await home.translations()]
        let result = try await Program("hongyan", ["roster"], home: home, environment: language).result()
        #expect(result.errors == "hongyan: 还没有账号；请用 --jid 指定，或先运行 `hongyan login`。\n")
        let help = try await Program("hongyan", ["help"], home: home, environment: language).result()
        #expect(help.output.contains("列出联系人：谁在线、离开、离线"))
        let traditional = language.merging(["LANG": "zh_HK.UTF-8"]) { _, new in new }
        let other = try await Program("hongyan", ["roster"], home: home, environment: traditional).result()
        #expect(other.errors == "hongyan: 還沒有帳號；請用 --jid 指定，或先執行 `hongyan login`。\n")
        let english = try await Program("hongyan", ["roster"], home: home, environment: ["LANG": "en_GB.UTF-8"])
            .result()
        #expect(english.errors.contains("There is no account yet"))
    }
}

extension ProgramHome {
    /// Compiles the catalogues of the source tree into this home; returns the folder in which the programs find them.
    func translations() async throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let compiler = try await OutsideProgram.run([root + "/Scripts/translations", path])
        #expect(compiler.status == 0, "\(compiler.output)")
        return path + "/locale"
    }
}
