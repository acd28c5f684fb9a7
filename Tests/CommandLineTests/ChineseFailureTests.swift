import Foundation
import ProgramFixtures
import ServerFixtures
import Testing

@testable import CommandLine

/// Every failure that a user can provoke on the command line has a message in the user's language.
@Suite("Failures in Chinese") struct ChineseFailureTests {
    /// Three English words in a row, outside of code and of what others have said.
    private static func englishSentence(in text: String) -> String? {
        let own = text.replacing(#/`[^`]*`|“[^”]*”/#, with: "·")
        return own.firstMatch(of: #/[A-Za-z’']{2,} [a-z’']{2,} [a-z’']{2,}/#).map { String($0.output) }
    }

    private static func language(_ home: ProgramHome) async throws -> [String: String] {
        ["LC_ALL": "", "LANG": "zh_CN.UTF-8", "HONGYAN_LOCALE_DIR": try await home.translations()]
    }

    private func expectChinese(_ result: Program.Result, _ arguments: [String], status: Int32) {
        #expect(result.status == status, "\(arguments): \(result.errors)")
        let text = result.output + result.errors
        #expect(
            text.contains(where: { $0.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) } }),
            "\(arguments): \(text)")
        let english = Self.englishSentence(in: text)
        #expect(english == nil, "\(arguments): \(text)")
    }

    @Test("the search for English sentences finds some")
    func search() {
        #expect(Self.englishSentence(in: "出错了：The file is empty.") == "The file is")
        #expect(Self.englishSentence(in: "运行 `hongyan keys policy on` 或 --jid juliet@example.org。") == nil)
    }

    @Test("a command line that cannot be used")
    func usage() async throws {
        let home = try ProgramHome()
        let language = try await Self.language(home)
        let account = ["--jid", "juliet@capulet.test"]
        let picture = try home.write("text.png", "no picture")
        let empty = try home.write("empty", "\n")
        let commands: [([String], Int32)] = [
            ([], 2), (["shout"], 2), (["roster", "--loud"], 2), (["roster", "--jid"], 2),
            (["roster", "--jid", "@@"], 2), (["roster", "--jid", "a b@capulet.test"], 2),
            (["roster", "--jid", "a@"], 2),
            (["roster", "--jid", "a@-x-.test"], 2), (["roster", "--jid", "a@[::g]"], 2),
            (["roster", "--jid", "capulet.test"], 2),
            (["roster", "--jid", "a@" + String(repeating: "x", count: 70) + ".test"], 2),
            (["roster", "--port", "0"], 2), (["roster", "--timeout", "never"], 2), (["roster", "--trust", "me"], 2),
            (["roster", "--client-key", "x"], 2), (["roster", "--log-level", "wire"], 2),
            (["roster", "--log", "/nowhere/log"], 2),
            (["roster", "--log", home.path + "/log", "--log-level", "loud"], 2),
            (["roster", "--proxy", "ftp://x.test"], 2), (["roster", "--proxy", "http://a:b@x.test"], 2),
            (["roster", "--proxy", "http://x.test", "--proxy-password-file", "/nowhere"], 2),
            (["roster", "--proxy-password-file", "/nowhere"], 2),
            (["roster"] + account + ["--password-file", "/nowhere"], 1),
            (["roster"] + account + ["--password-file", empty], 1),
            (["listen", "--count", "x"], 2), (["listen", "--fetch", "x"], 2), (["listen", "--accept", "x"], 2),
            (["listen", "--show", "x"], 2),
            (["send"], 2), (["send", "romeo@montague.test"], 2),
            (["send", "romeo@montague.test", "hi", "--correct", "x"], 2),
            (["send", "romeo@montague.test", "hi", "--correct", "1", "--react", "1"], 2),
            (["send", "romeo@montague.test", "hi", "--retract", "1"], 2),
            (["send", "romeo@montague.test", "--record", "0"], 2),
            (["send"] + account + ["a b", "hi"], 2),
            (["send"] + account + ["romeo@montague.test", "--picture", "/nowhere"], 1),
            (["send"] + account + ["romeo@montague.test", "--picture", picture], 1),
            (["send"] + account + ["romeo@montague.test", "--voice", picture], 1),
            (["history", "romeo@montague.test", "--before", "yesterday"], 2), (["history", "--limit", "0"], 2),
            (["queue", "retry", "x"], 2), (["queue", "shout"], 2), (["import", "/nowhere"], 1),
            (["import", picture], 1),
            (["export", "/nowhere/x"], 1),
            (["doctor", "a b@capulet.test"], 2),
        ]
        for (arguments, status) in commands {
            let result = try await Program("hongyan", arguments, home: home, environment: language).result()
            expectChinese(result, arguments, status: status)
        }
    }

    @Test("a password store that cannot be read")
    func passwordStore() async throws {
        let home = try ProgramHome()
        let folder = home.path + "/data/hongyan"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = folder + "/passwords"
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        let language = try await Self.language(home)
        for mode in [0o666, 0o600] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let arguments = ["roster", "--jid", "juliet@capulet.test", "--host", "127.0.0.1", "--port", "1"]
            let result = try await Program("hongyan", arguments, home: home, environment: language).result()
            #expect(result.errors.contains(file), "\(result.errors)")
            expectChinese(result, arguments, status: 3)
        }
    }

    @Test("no server, a wrong password, and a message that comes back")
    func server() async throws {
        let person = try await Person("chinese", on: .shared)
        let language = try await Self.language(person.home)
        let login = try ["login", person.address, "--encryption", "off"] + person.connection().dropFirst(2)
        expectChinese(try await person.bare(login, environment: language), login, status: 0)
        let send = try ["send", "nobody-there", "hi"] + person.connection()
        expectChinese(try await person.bare(send, environment: language), send, status: 1)
        let stranger = try ["remove", "nobody-there", "--yes"] + person.connection()
        expectChinese(try await person.bare(stranger, environment: language), stranger, status: 1)
        let wrong = try ["roster"] + person.connection(password: "wrong")
        expectChinese(try await person.bare(wrong, environment: language), wrong, status: 3)
        let absent =
            try ["roster", "--timeout", "5"] + person.connection().prefix(4) + ["--host", "127.0.0.1", "--port", "1"]
        expectChinese(try await person.bare(absent, environment: language), absent, status: 4)
    }
}
