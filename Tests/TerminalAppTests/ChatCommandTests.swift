import Testing

@testable import TerminalApp

@Suite struct ChatCommandTests {
    /// The meaning of a line in words: `message: …`, `/name: argument`, `usage: …` or `unknown: …`.
    private func meaning(_ line: String) -> String {
        switch ChatLine(line) {
        case .message(let text): "message: \(text)"
        case .command(let command, let typed): "\(command.name): \(typed.text)"
        case .incomplete(let usage): "usage: \(usage)"
        case .unknown(let name): "unknown: \(name)"
        }
    }

    @Test(
        "Lines are messages or commands",
        arguments: [
            ("hello", "message: hello"), ("//path", "message: /path"), (" /quit", "message:  /quit"),
            ("/quit", "/quit: "), ("/exit", "/quit: "), ("/quit now", "/quit: now"),
            ("/picture a b.png", "/picture: a b.png"), ("/picture", "usage: /picture FILE"),
            ("/voice", "/voice: "), ("/voice x.wav", "/voice: x.wav"), ("/play", "/play: "),
            ("/file ", "usage: /file FILE"),
            ("/add bob Bobby B", "/add: bob Bobby B"), ("/add", "usage: /add ADDRESS"), ("/accept", "/accept: "),
            ("/reject bob@x.test", "/reject: bob@x.test"), ("/contacts", "/contacts: "), ("/friends", "/contacts: "),
            ("/chat", "/chat: "), ("/status", "/status: "), ("/reply 2", "/reply: 2"),
            ("/reply", "usage: /reply [NUMBER] TEXT"), ("/edit", "usage: /edit TEXT"),
            ("/search", "usage: /search WORDS"), ("/join", "usage: /join ROOM [NICK]"),
            ("/me waves ", "/me: waves"), ("/me", "usage: /me TEXT"),
            ("/nick Jule", "/nick: Jule"), ("/nick", "usage: /nick NICK"),
            ("/topic", "/topic: "), ("/topic Roses at dawn", "/topic: Roses at dawn"),
            ("/invite  Nurse Angelica come ", "/invite: Nurse Angelica come"),
            ("/invite", "usage: /invite NAME [TEXT]"),
            ("/kick", "usage: /kick NICK [TEXT]"), ("/ban", "usage: /ban NICK [TEXT]"), ("/moderate", "/moderate: "),
            ("/block", "/block: "), ("/unblock x@y.test", "/unblock: x@y.test"),
            ("/unblock", "usage: /unblock ADDRESS"), ("/unread", "/unread: "), ("/keys", "/keys: "),
            ("/verify", "usage: /verify NUMBER"), ("/trust", "usage: /trust NUMBER"),
            ("/distrust", "usage: /distrust NUMBER"), ("/encryption", "/encryption: "),
            ("/commands", "/commands: "), ("/run", "usage: /run NUMBER"), ("/help me", "/help: me"),
            ("/fly", "unknown: /fly"), ("two\nlines", "message: two\nlines"),
        ])
    func commands(_ line: String, _ expected: String) {
        #expect(meaning(line) == expected)
    }

    @Test("a command is one row of the table, with a name of its own, and the help lists each")
    func table() {
        let names = ChatCommand.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count && names.count == 44)
        #expect(names.allSatisfy { $0.hasPrefix("/") && ChatCommand.named($0) != nil })
        let help = ChatCommand.helpText(encrypts: false).split(separator: "\n")
        #expect(help.count == ChatCommand.all.count + 2)
        #expect(zip(help, ChatCommand.all).allSatisfy { $0.hasPrefix($1.name) })
        #expect(ChatCommand.helpText(encrypts: true).split(separator: "\n").count == help.count + 1)
    }

    @Test("the Tab key completes what the argument is")
    func completions() {
        func names(_ completion: ChatCommand.Completion) -> [String] {
            ChatCommand.all.filter { $0.completion == completion }.map(\.name)
        }
        #expect(names(.file) == ["/picture", "/voice", "/file", "/play"])
        #expect(names(.contact) == ["/invite", "/chat", "/remove", "/block"])
        #expect(names(.occupant) == ["/kick", "/ban"])
    }

    private func typed(_ text: String) -> TypedCommand { TypedCommand(line: "/x " + text, text: text) }

    @Test(
        "a reply may name an earlier message by its number",
        arguments: [
            ("2 not yet", 2, "not yet"), ("well said", 1, "well said"), ("2", 1, "2"), ("2nd of May", 1, "2nd of May"),
            ("0 x", 1, "0 x"), ("100 x", 1, "100 x"), ("99 x", 99, "x"), ("٢ x", 1, "٢ x"),
        ])
    func replies(_ text: String, _ number: Int, _ reply: String) {
        #expect(typed(text).reply == (number, reply))
    }

    @Test(
        "arguments are a number and a reason, a state and a text, or a word and a name",
        arguments: [("", nil, nil), ("2", 2, nil), ("2 spam", 2, "spam"), ("2nd spam", nil, "2nd spam")]
            as [(String, Int?, String?)])
    func arguments(_ text: String, _ number: Int?, _ reason: String?) {
        #expect(typed(text).numbered == (number, reason))
        #expect(typed("away back at six").status == ("away", "back at six"))
        #expect(typed("dnd").status == ("dnd", nil))
        #expect(typed("online").status == ("online", nil))
        #expect(typed("at sea").status == ("online", "at sea"))
        #expect(typed("").status == ("online", nil))
        #expect(typed("bob Bobby B").words == ("bob", "Bobby B"))
        #expect(typed("bob").words == ("bob", nil))
    }

    @Test("prefixes of commands are completed")
    func completion() {
        #expect(ChatCommand.completions(of: "/pi") == ["/picture"])
        #expect(ChatCommand.completions(of: "/a") == ["/autoaway", "/add", "/accept"])
    }

    @Test("a name with blanks is found at the beginning of a text, and the rest is for the person")
    func names() {
        let names = [("Nurse", 1), ("Nurse Angelica", 2), ("Nursery", 3)]
        #expect(RoomCommands.longest(names, in: "nurse angelica come")?.1 == 2)
        #expect(RoomCommands.longest(names, in: "nurse come")?.1 == 1)
        #expect(RoomCommands.longest(names, in: "Nursery")?.1 == 3)
        #expect(RoomCommands.longest(names, in: "Nurseries") == nil)
    }

    @Test("people in a room have colours that stay the same; the arguments of the help are words")
    func colours() {
        let names = ["Romeo", "Juliet", "Nurse", "Tybalt", "Mercutio", "Benvolio", "罗密欧"]
        #expect(Set(names.map { TerminalScreen.Style.colour(of: $0) }).count > 2)
        #expect(TerminalScreen.Style.colour(of: "Romeo") == TerminalScreen.Style.colour(of: "Romeo"))
        #expect(ChatCommand.shown("[NUMBER] TEXT") == "[NUMBER] TEXT")
    }
}
