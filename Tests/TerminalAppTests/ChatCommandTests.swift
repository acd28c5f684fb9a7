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
            ("/me waves", .message("/me waves")), ("/me", .incomplete("/me TEXT")),
            ("/nick Jule", .nickname("Jule")), ("/nick", .incomplete("/nick NICK")),
            ("/topic", .topic(nil)), ("/topic Roses at dawn", .topic("Roses at dawn")),
            ("/invite Nurse Angelica come", .invite("Nurse Angelica come")),
            ("/kick Tybalt for fencing", .kick("Tybalt for fencing")), ("/ban", .incomplete("/ban NICK [TEXT]")),
            ("/moderate", .moderate(1, reason: nil)), ("/moderate 2", .moderate(2, reason: nil)),
            ("/moderate 2 spam", .moderate(2, reason: "spam")),
            ("/moderate 2nd spam", .moderate(1, reason: "2nd spam")),
            ("/block", .block(nil)), ("/unblock x@y.test", .unblock("x@y.test")), ("/unread", .unread),
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

    @Test("a name with blanks is found at the beginning of a text, and the rest is for the person")
    @MainActor
    func names() {
        let names = [("Nurse", 1), ("Nurse Angelica", 2), ("Nursery", 3)]
        #expect(TerminalChat.longest(names, in: "nurse angelica come")?.1 == 2)
        #expect(TerminalChat.longest(names, in: "nurse come")?.1 == 1)
        #expect(TerminalChat.longest(names, in: "Nursery")?.1 == 3)
        #expect(TerminalChat.longest(names, in: "Nurseries") == nil)
    }

    @Test("people in a room have colours that stay the same; the arguments of the help are words")
    func colours() {
        let names = ["Romeo", "Juliet", "Nurse", "Tybalt", "Mercutio", "Benvolio", "罗密欧"]
        #expect(Set(names.map { TerminalScreen.Style.colour(of: $0) }).count > 2)
        #expect(TerminalScreen.Style.colour(of: "Romeo") == TerminalScreen.Style.colour(of: "Romeo"))
        #expect(ChatCommand.shown("[NUMBER] TEXT") == "[NUMBER] TEXT")
    }
}
