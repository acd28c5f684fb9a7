import Foundation
import ServerFixtures

extension Story {
    /// A place of an own message where its text is.
    private static let ownText = (0.9, 0.4)

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
}
