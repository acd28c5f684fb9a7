import Foundation
import ServerFixtures

extension Story {
    func encrypted() async throws {
        let stage = try await Stage()
        try await accounts(stage)
        for person in [stage.alice, stage.bob] { try setEncryption(nil, of: person) }
        try await quits(stage.bob, stage)
        try await stage.bob.start(until: .button("Main Menu"))
        try await beginning(stage)
        try await friends(stage)
        try await clearText(stage)
        try await encryption(stage)
        try await comparison(stage)
        try await newDevice(stage)
        try await never(stage)
        try await always(stage)
        try stage.checkComplaints()
    }

    /// What is said before they encrypt is in the archive, so that this is where later texts would be found.
    private func clearText(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.says("Everybody may read this.")
        try await alice.sees(.message("You, Everybody may read this.", "Delivered to a device"))
        try await isStored("Everybody may read this.", stage)
        for (person, other) in [(alice, "bob"), (bob, "alice")] {
            try await quits(person, stage)
            try setEncryption("whenPossible", of: person)
            try await person.start(["xmpp:\(other)@\(stage.server.domain)"], until: .field("Message"))
        }
    }

    /// Both use encryption. The texts and the picture are on both screens with a lock, and not on the server.
    private func encryption(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        for person in [alice, bob] {
            try await person.looks()
            try await person.sees(.button("Encrypted"))
        }
        try await alice.looks()
        try await alice.says("The word is Blauregen.")
        try await alice.sees(.message("You, The word is Blauregen.", "Encrypted", "Delivered to a device"))
        let began = "Messages are encrypted from here on"
        try await alice.reads(
            [["Everybody may read this."], [began], ["The word is Blauregen.", "Encrypted"]], in: "Messages")
        try await bob.sees(.message("alice, The word is Blauregen.", "Encrypted"))
        try await bob.looks()
        try await bob.says("And the answer is Seidelbast.")
        try await alice.sees(.message("bob, And the answer is Seidelbast.", "Encrypted"))
        try await picture(from: alice, to: bob, stage)
        try isNotStored(["Blauregen", "Seidelbast", "harbour.png"], stage)
    }

    /// The end that a user chooses: after a kill the program resumes its session, in which it did not announce
    /// encryption.
    private func quits(_ person: PersonAtWindow, _ stage: Stage) async throws {
        try await person.clicks(.button("Main Menu"))
        try await person.clicks(.menuItem("Quit"))
        try await until("the program ends") { !person.program.isRunning }
    }

    private func setEncryption(_ policy: String?, of person: PersonAtWindow) throws {
        let path = "\(person.program.folder)/config/hongyan/accounts.json"
        let data = try Data(contentsOf: URL(filePath: path))
        guard var file = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            var accounts = file["accounts"] as? [[String: Any]], !accounts.isEmpty
        else { throw NotSeen(description: "There is no account in \(path).") }
        accounts[0]["encryption"] = policy
        file["accounts"] = accounts
        try JSONSerialization.data(withJSONObject: file).write(to: URL(filePath: path))
    }

    private func picture(from alice: PersonAtWindow, to bob: PersonAtWindow, _ stage: Stage) async throws {
        let file = "\(stage.folder)/harbour.png"
        try await SpokenSample.run([
            "convert", "-size", "200x200", "xc:rgb(208,160,32)", "xc:rgb(32,64,176)", "+append", file,
        ])
        try await alice.looks()
        try await alice.clicks(.button("Send pictures or files"))
        try await alice.types(file, in: .window("Send Pictures or Files"), after: "ctrl+l")
        try await alice.presses("Return")
        try await alice.sees(.label("harbour.png"))
        try await alice.clicks(.button("Send"))
        try await alice.sees(.message("You, Picture", "Encrypted", "Delivered to a device"))
        let seen = Look(role: "filler", has: ["Picture: "])
        try await bob.sees(.message("alice, Picture", "Encrypted"))
        for person in [alice, bob] {
            try await person.looks()
            try await person.seesColour(208, 160, 32, of: seen, at: (0.25, 0.5))
            try await person.seesColour(32, 64, 176, of: seen, at: (0.75, 0.5))
        }
    }

    /// She opens his devices from the lock, and compares his key. His next message has a verified key.
    private func comparison(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.looks()
        try await alice.clicks(.button("Encrypted"))
        try await alice.clicks(.button("Devices and Keys…"))
        try await alice.clicks(Look(role: "list item", has: ["Trusted, not compared"]))
        try await alice.clicks(.button("They Match"))
        try await alice.sees(Look(role: "list item", has: ["Verified"]))
        try await alice.presses("Escape")
        try await alice.doesNotSee(Look(role: "list item", has: ["Verified"]))
        try await bob.looks()
        try await bob.says("You know my key now.")
        try await alice.sees(.message("bob, You know my key now.", "Encrypted, key verified"))
    }

    /// He writes with another program. She is notified of its key in the conversation, decides there, and the program
    /// reads what she writes from then on.
    private func newDevice(_ stage: Stage) async throws {
        let alice = stage.alice
        let laptop = try Terminal("bob", Story.password, on: stage.server)
        try await laptop.run(["login", "--encryption", "when-possible"])
        try await laptop.run(["keys", "publish"])
        try await laptop.run(["send", "alice@\(stage.server.domain)", "From my laptop."])
        try await alice.sees(
            .message("bob, From my laptop.", "Encrypted with a key that you do not trust"))
        try await alice.sees(.label("bob uses a new key. Nothing is encrypted for it until you decide."))
        try await alice.looks()
        try await alice.sees(.button("Encrypted, but not readable on all devices"))
        try await alice.says("The phone may read Goldregen.")
        try await alice.sees(
            .message("You, The phone may read Goldregen.", "Encrypted, but not readable on all devices"))
        try await alice.clicks(.button("Devices and Keys…"))
        let device = Look(role: "list item", has: ["New: not decided yet"])
        try await alice.clicks(device, at: (0.93, 0.5))
        try await alice.clicks(.menuItem("Trust Without Comparing"))
        let trusted = Look(role: "list item", has: ["Trusted, not compared"])
        try await alice.sees(trusted)
        try await alice.presses("Escape")
        try await alice.doesNotSee(trusted)
        try await alice.looks()
        try await alice.sees(.button("Encrypted"))
        try laptop.start(["listen", "--verbose"])
        try await laptop.prints("online")
        try await alice.says("All may read Sanddorn.")
        try await alice.sees(.message("You, All may read Sanddorn.", "Encrypted", "Delivered to a device"))
        try await laptop.prints("All may read Sanddorn.")
        guard !laptop.output.contains("Goldregen") else {
            throw NotSeen(description: "His other program has read:\n\(laptop.output)")
        }
        laptop.end()
        try isNotStored(["From my laptop", "Goldregen", "Sanddorn"], stage)
    }

    /// She turns encryption off for the conversation: both windows tell, and the server stores the text.
    private func never(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.clicks(.button("Encrypted"))
        try await alice.clicks(Look(role: "check box", name: "Never"))
        try await alice.sees(
            .label("You have turned encryption off: messages are not encrypted from here on"))
        try await alice.escapes(from: Look(role: "check box", name: "Never"))
        try await alice.sees(.button("Not encrypted"))
        try await alice.looks()
        try await alice.says("Everybody may read Schlehdorn.")
        try await alice.sees(.message("You, Everybody may read Schlehdorn.", "Not encrypted"))
        try await bob.sees(.message("alice, Everybody may read Schlehdorn.", "Not encrypted"))
        try await isStored("Everybody may read Schlehdorn.", stage)
    }

    /// A contact without keys, to whom she sends nothing that is not encrypted.
    private func always(_ stage: Stage) async throws {
        let alice = stage.alice
        try await stage.server.register("carol", password: Story.password)
        try await quits(alice, stage)
        try await alice.start(["xmpp:carol@\(stage.server.domain)"], until: .field("Message"))
        try await alice.looks()
        // Without a decision it would be sent in clear.
        try await alice.clicks(.button("Not encrypted"))
        try await alice.clicks(Look(role: "check box", name: "Always"))
        try await alice.escapes(from: Look(role: "check box", name: "Always"))
        try await alice.looks()
        try await alice.writes("Only carol may read Weissdorn.", into: "Message")
        try await alice.presses("Return")
        try await alice.sees(.words("carol has no device that can decrypt. Your messages are not sent."))
        try await alice.sees(.field("Message", saying: "Only carol may read Weissdorn."))
        try isNotStored(["Weissdorn"], stage)
    }

    // MARK: The server

    private func isStored(_ text: String, _ stage: Stage) async throws {
        try await until("the server stores “\(text)”") { stage.server.hasStored(text) }
    }

    private func isNotStored(_ texts: [String], _ stage: Stage) throws {
        for text in texts where stage.server.hasStored(text) {
            throw NotSeen(description: "The server has stored “\(text)”.")
        }
    }
}

/// `hongyan`, another device of a user.
private struct Terminal {
    private let program: PrivateProgram
    private let place: [String]

    init(_ user: String, _ password: String, on server: PrivateProsody) throws {
        program = try PrivateProgram("hongyan") { folder in
            [
                "HOME": folder, "HONGYAN_PROFILE": "\(folder)/profile", "XDG_CONFIG_HOME": "\(folder)/config",
                "XDG_DATA_HOME": "\(folder)/data", "XDG_CACHE_HOME": "\(folder)/cache", "LC_ALL": "C.UTF-8",
                "DBUS_SESSION_BUS_ADDRESS": "",
            ]
        }
        let file = "\(program.folder)/password"
        try (password + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        place = [
            "--jid", "\(user)@\(server.domain)", "--password-file", file, "--host", server.host, "--port",
            String(server.port), "--ca", server.authorityFile,
        ]
    }

    /// Everything that it has printed so far.
    var output: String { program.output }

    func start(_ words: [String]) throws { try program.start(words + place) }

    func end() { program.kill() }

    /// Waits until it has printed a text.
    func prints(_ text: String) async throws {
        let deadline = ContinuousClock.now + .seconds(75)
        while !output.contains(text) {
            guard ContinuousClock.now < deadline else {
                throw NotSeen(description: "hongyan did not print “\(text)”: \(output)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Runs a command to its end.
    func run(_ words: [String]) async throws {
        try start(words)
        let deadline = ContinuousClock.now + .seconds(75)
        while program.isRunning, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        guard program.exitStatus == 0 else {
            throw NotSeen(description: "hongyan \(words.joined(separator: " ")): \(program.output)")
        }
    }
}
