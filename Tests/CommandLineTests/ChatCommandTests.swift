import Testing
import XMPPAddress

@testable import CommandLine

@Suite struct ChatCommandTests {
    @Test(
        "Lines are messages or commands",
        arguments: [
            ("hello", .message("hello")), ("//path", .message("/path")), (" /quit", .message(" /quit")),
            ("/quit", .quit),
            ("/picture a b.png", .picture("a b.png")), ("/picture", .incomplete("/picture FILE")),
            ("/voice", .voice(nil)),
            ("/voice x.wav", .voice("x.wav")), ("/play", .play(nil)),
            ("/add bob Bobby B", .add("bob", name: "Bobby B")),
            ("/add", .incomplete("/add ADDRESS")), ("/accept", .accept(nil)),
            ("/reject bob@x.test", .reject("bob@x.test")),
            ("/friends", .open(nil)), ("/status away back at six", .status(show: "away", text: "back at six")),
            ("/status dnd", .status(show: "dnd", text: nil)),
            ("/status at sea", .status(show: "online", text: "at sea")),
            ("/fly", .unknown("/fly")), ("two\nlines", .message("two\nlines")),
        ] as [(String, ChatCommand)])
    func commands(_ line: String, _ expected: ChatCommand) {
        #expect(ChatCommand(line) == expected)
    }

    @Test("Beginnings of commands are completed")
    func completion() {
        #expect(ChatCommand.completions(of: "/pi") == ["/picture"])
        #expect(ChatCommand.completions(of: "/a") == ["/add", "/accept"])
    }
}

@Suite struct OutputTests {
    @Test("JSON keeps its order, leaves out what is missing and fits on one line")
    func json() {
        let value: JSONValue = ["b": "a\"\\\n\u{1B}\u{2028}é", "a": 3, "gone": .null, "list": .array([true, "x"])]
        #expect(value.description == #"{"b":"a\"\\\n\u001b\u2028é","a":3,"list":[true,"x"]}"#)
    }

    @Test(
        "Sizes and times read as people write them",
        arguments: [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345, "12.3 kB"), (4_000_000, "4.0 MB")])
    func sizes(_ count: Int, _ text: String) {
        #expect(ByteCount(count).description == text)
    }

    @Test("S2-22, S2-23: an empty address is refused; without @ the own domain is appended")
    func addresses() throws {
        let account = try JID("juliet@capulet.test")
        #expect(try ContactAddress.parse("romeo", account: account).description == "romeo@capulet.test")
        #expect(try ContactAddress.parse(" nurse@x.test ", account: account).description == "nurse@x.test")
        #expect(throws: CommandError.self) { try ContactAddress.parse("  ", account: account) }
        #expect(throws: CommandError.self) { try ContactAddress.parse("a b@c d", account: account) }
    }

    @Test("Places in a text are filled once, in the order that the translation wants")
    func places() {
        #expect(filled("%@ and %@", with: ["%@", "b"]) == "%@ and b")
        #expect(filled("%2$@, %1$@", with: ["a", "b"]) == "b, a")
        #expect(filled("100 % %@ %", with: ["x"]) == "100 % x %")
        #expect(filled("%@ %@", with: ["only"]) == "only %@")
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
