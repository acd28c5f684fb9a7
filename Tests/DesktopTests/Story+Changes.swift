import Foundation
import ServerFixtures

extension Story {
    /// A place of a message where its text is: at the right end of what the person has written, at the left end of the other's.
    private static let (ownText, othersText) = ((0.9, 0.4), (0.08, 0.4))

    /// She mends a word, found by the menu of the message; he sees the new words and that they were changed.
    func correction(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.says("See you at the pont at noon.")
        try await bob.sees(.message("alice, See you at the pont at noon."))
        try await alice.sees(.message("You, See you at the pont", "Delivered to a device"))
        try await alice.clicks(.message("You, See you at the pont"), button: 3, at: Self.ownText)
        try await alice.clicks(.menuItem("Edit"))
        try await alice.sees(.label("Change message"))
        try await alice.sees(.field("Message", saying: "See you at the pont at noon."))
        try await alice.writes("See you at the pond at noon.", into: "Message", replacing: true)
        try await alice.presses("Return")
        for (person, name) in [(alice, "You"), (bob, "alice")] {
            try await person.sees(.message("\(name), See you at the pond at noon.", "edited"))
            try await person.doesNotSee(.message("at the pont"))
        }
    }

    /// He answers with a thumb, one click away in the menu; she sees from whom it is.
    func reaction(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await bob.clicks(.message("alice, See you at the pond"), button: 3, at: Self.othersText)
        try await bob.clicks(.button("React with 👍"))
        try await bob.sees(Look(role: "push button", has: ["👍 from"]))
        try await alice.looks()
        try await alice.sees(Look(role: "push button", has: ["👍 from bob"]))
    }

    /// She takes a message back; it is gone on both sides, and both see that there was one.
    func deletion(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.says("This was not for you.")
        try await bob.sees(.message("alice, This was not for you."))
        try await alice.sees(.message("You, This was not for you.", "Delivered to a device"))
        try await alice.clicks(.message("You, This was not for you."), button: 3, at: Self.ownText)
        try await alice.clicks(.menuItem("Delete for everyone"))
        for (person, name) in [(alice, "You"), (bob, "alice")] {
            try await person.sees(.message("\(name), This message was deleted"))
            try await person.doesNotSee(.message("This was not for you."))
        }
    }
}
