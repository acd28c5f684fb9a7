import Testing

@testable import TerminalApp

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
            ("/contacts", .open(nil)), ("/friends", .open(nil)),
            ("/status away back at six", .status(show: "away", text: "back at six")),
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

    @Test("prefixes of commands are completed")
    func completion() {
        #expect(ChatCommand.completions(of: "/pi") == ["/picture"])
        #expect(ChatCommand.completions(of: "/a") == ["/add", "/accept"])
    }
}
