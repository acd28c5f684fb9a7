import Foundation
import ServerFixtures

extension Story {
    /// She adds him by his user name only, and his conversation opens; he is asked and accepts, which opens hers. She is
    /// told, and each sees the other among the online contacts.
    func friends(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        let (her, his) = ("alice@\(stage.server.domain)", "bob@\(stage.server.domain)")
        try await alice.clicks(.button("Contacts"))
        try await alice.sees(.label("No Contacts Yet"))
        try await alice.clicks(.button("Add a Contact"))
        try await alice.writes("bob", into: "Address")
        try await alice.sees(.label("\(his) gets a request with your message."))
        try await alice.clicks(.button("Add"))
        try await alice.sees(.label("\(his) is added to your contacts."))
        try await alice.sees(.field("Message"))
        try await alice.clicks(.button("Contacts"))
        try await alice.reads([["Offline, 1"], ["bob, offline", "No response yet"]], in: "Contacts")

        try await until("his desktop tells him") {
            stage.notified.contains("alice wants to add you as a contact")
        }
        try await bob.sees(.label("alice wants to add you as a contact"))
        try await bob.clicks(.button("Accept"))
        try await bob.sees(.field("Message"))
        try await until("her desktop tells her") {
            stage.notified.contains("bob accepted your contact request.")
        }
        try await bob.clicks(.button("Contacts"))
        try await bob.reads([["Online, 1"], ["alice, online", her]], in: "Contacts")
        try await alice.reads([["Online, 1"], ["bob, online", his]], in: "Contacts")
        try await bob.doesNotSee(.label("alice wants to add you as a contact"))

        try await bob.clicks(.button("Back to the Conversations"))
        try await alice.clicks(.contact("bob, online"))
        try await alice.sees(.label("online"))
    }
    /// She swipes over him in the list and thinks better of it; the second time she deletes him, and he is told.
    func farewell(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.clicks(.button("Contacts"))
        try await alice.swipes(.contact("bob, online"), by: -140)
        try await alice.clicks(.button("Cancel"))
        try await alice.reads([["bob, online"]], in: "Contacts")
        // A movement in the other direction is no swipe, but a click, which opens the conversation.
        try await alice.swipes(.contact("bob, online"), by: 140)
        try await alice.doesNotSee(.button("Delete"))
        try await alice.clicks(.button("Contacts"))
        try await alice.swipes(.contact("bob, online"), by: -140)
        try await alice.clicks(.button("Delete"))
        try await alice.sees(.label("No Contacts Yet"))
        try await bob.clicks(.button("Contacts"))
        try await bob.sees(.label("No Contacts Yet"))
    }
}
