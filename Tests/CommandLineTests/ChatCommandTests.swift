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
            ("/reply 2 not yet", .reply(2, "not yet")), ("/reply well said", .reply(1, "well said")),
            ("/reply 2", .reply(1, "2")), ("/reply", .incomplete("/reply [NUMBER] TEXT")),
            ("/reply 2nd of May", .reply(1, "2nd of May")),
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
}
