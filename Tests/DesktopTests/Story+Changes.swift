import Foundation
import ServerFixtures

extension Story {
    /// A place of an own message where its text is.
    private static let ownText = (0.9, 0.4)
    /// The same of somebody else's.
    private static let theirText = (0.1, 0.4)

    /// She mends a word, found by the menu of the message; he sees the new words and that they were changed.
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

    /// He gives a heart to her message by its menu; both see it; he takes it back with a click on it.
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

    /// She takes back what she has said; it is gone on both sides, and both see that something was there.
    func deletion(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.says("This is for somebody else.")
        try await bob.sees(.message("alice, This is for somebody else."))
        try await alice.sees(.message("You, This is for somebody else.", "Delivered to a device"))
        try await alice.clicks(.message("You, This is for somebody else."), button: 3, at: Self.ownText)
        try await alice.clicks(.menuItem("Delete for everyone"))
        for (person, name) in [(alice, "You"), (bob, "alice")] {
            try await person.sees(.message("\(name), This message was deleted"))
            try await person.doesNotSee(.message("This is for somebody else."))
            try await person.sees(.message("\(name), See you at the pond"))
        }
    }
}
