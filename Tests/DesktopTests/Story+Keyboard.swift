import ServerFixtures

extension Story {
    /// She does with messages what the mouse can do, and finds herself in the input field after each click.
    func keyboard(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await bob.says("Shall we row?")
        try await alice.looks()
        try await alice.sees(.message("bob, Shall we row?"))
        // A click on a message, a closed menu and a reaction leave the keyboard to the input field.
        try await alice.clicks(.message("bob, Shall we row?"), at: (0.05, 0.3))
        try await alice.typesOn("one ")
        try await alice.clicks(.message("bob, Shall we row?"), button: 3, at: (0.05, 0.3))
        try await alice.sees(.menuItem("Reply"))
        try await alice.escapes(from: .menuItem("Reply"))
        try await alice.typesOn("two ")
        try await alice.clicks(.message("bob, Shall we row?"), button: 3, at: (0.05, 0.3))
        try await alice.clicks(.button("React with 👍"))
        try await alice.sees(.reaction("👍", "alice"))
        try await alice.typesOn("three")
        try await alice.sees(.field("Message", saying: "one two three"))
        try await alice.clicks(.conversation("bob"), at: (0.5, 0.5))
        try await alice.typesOn("four")
        try await alice.sees(.field("Message", saying: "one two threefour"))
        try await alice.presses("ctrl+a", "BackSpace")

        // Choose, react, reply.
        try await alice.presses("ctrl+Up", "2")
        try await alice.sees(.reaction("❤️", "alice"))
        try await alice.presses("r")
        try await alice.sees(.label("Reply to bob"))
        try await alice.typesOn("With pleasure.")
        try await alice.presses("Return")
        try await bob.looks()
        try await bob.sees(.message("alice, With pleasure."))
        try await alice.looks()
        try await alice.sees(.message("You, With pleasure."))
        // Edit.
        try await alice.presses("ctrl+Up", "e")
        try await alice.sees(.label("Edit message"))
        try await alice.presses("ctrl+a")
        try await alice.typesOn("With the greatest pleasure.")
        try await alice.presses("Return")
        try await bob.sees(.message("alice, With the greatest pleasure.", "edited"))
        // The menu key, and a letter that means nothing for a message.
        try await alice.presses("ctrl+Up", "Menu")
        try await alice.sees(.menuItem("Reply"))
        try await alice.escapes(from: .menuItem("Reply"))
        try await alice.presses("ctrl+Up")
        try await alice.typesOn("At nine?")
        try await alice.sees(.field("Message", saying: "At nine?"))
        try await alice.presses("Return")
        try await bob.sees(.message("alice, At nine?"))
        try await alice.sees(.message("You, At nine?", "Delivered to a device"))
        // Delete.
        try await alice.presses("ctrl+Up", "Delete")
        try await bob.sees(.message("alice, This message was deleted"))
        try await bob.doesNotSee(.message("At nine?"))
    }
}
