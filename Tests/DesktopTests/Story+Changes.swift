import Foundation
import ServerFixtures

extension Story {
    /// A point of a sent message at its text.
    private static let ownText = (0.9, 0.4)
    /// The same for a received message.
    private static let theirText = (0.1, 0.4)

    /// She edits a word, through the menu of the message; he sees the new text and that it was edited.
    func correction(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.says("See you at the pont at noon.")
        try await bob.sees(.message("alice, See you at the pont at noon."))
        try await alice.sees(.message("You, See you at the pont", "Delivered to a device"))
        try await alice.clicks(.message("You, See you at the pont"), button: 3, at: Self.ownText)
        try await alice.clicks(.menuItem("Edit"))
        try await alice.sees(.label("Edit message"))
        try await alice.sees(.field("Message", saying: "See you at the pont at noon."))
        try await alice.writes("See you at the pond at noon.", into: "Message", replacing: true)
        try await alice.presses("Return")
        for (person, name) in [(alice, "You"), (bob, "alice")] {
            try await person.sees(.message("\(name), See you at the pond at noon.", "edited"))
            try await person.doesNotSee(.message("at the pont"))
        }
    }

    /// He adds a heart to her message through its menu; both see it; he removes it with a click on it.
    func reaction(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await bob.looks()
        try await bob.clicks(.message("alice, See you at the pond"), button: 3, at: Self.theirText)
        try await bob.clicks(.button("React with ❤️"))
        try await bob.sees(.reaction("❤️", "bob"))
        try await alice.looks()
        try await alice.sees(.reaction("❤️", "bob"))
        try await bob.clicks(.reaction("❤️"))
        try await bob.doesNotSee(.reaction("❤️"))
        try await alice.looks()
        try await alice.doesNotSee(.reaction("❤️"))
    }

    /// She deletes a message and thinks better of it; she retracts another one. That is removed on both sides, and both see
    /// that there was a message.
    func deletion(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        for text in ["This is for you.", "This is for somebody else."] {
            try await alice.says(text)
            try await bob.sees(.message("alice, \(text)"))
            try await alice.sees(.message("You, \(text)", "Delivered to a device"))
        }
        try await deletesForEveryone("You, This is for you.", alice)
        try await alice.doesNotSee(.message("This is for you."))
        // For five seconds she can undo it.
        try await alice.clicks(.button("Undo"))
        try await alice.sees(.message("You, This is for you.", "Delivered to a device"))
        try await alice.doesNotSee(.button("Undo"))

        try await deletesForEveryone("You, This is for somebody else.", alice)
        for (person, name) in [(alice, "You"), (bob, "alice")] {
            try await person.sees(.message("\(name), This message was deleted"))
            try await person.doesNotSee(.message("This is for somebody else."))
            // Its deletion would have come before.
            try await person.sees(.message("\(name), This is for you."))
            try await person.sees(.message("\(name), See you at the pond"))
        }
    }

    private func deletesForEveryone(_ message: String, _ person: PersonAtWindow) async throws {
        try await person.clicks(.message(message), button: 3, at: Self.ownText)
        try await person.clicks(.menuItem("Delete for Everyone"))
        try await person.sees(.message("You, This message was deleted"))
    }
}
