import Foundation
import ServerFixtures

extension Story {
    /// She creates a room and invites him; both chat there, and each sees the occupants.
    func room(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.clicks(.button("Main menu"))
        try await alice.clicks(.menuItem("Join or create a room…"))
        try await alice.clicks(.label("Create a new room"))
        try await alice.writes("Pond", into: "Name")
        try await alice.sees(.label("pond@conference.\(stage.server.domain)"))
        try await alice.clicks(.button("Create the room"))
        try await alice.sees(.label("1 person"))
        try await alice.says("The ice is ours.")
        try await alice.clicks(.button("About the room"))
        try await alice.clicks(.button("Invite…"))
        try await alice.clicks(.label("bob"))
        try await bob.sees(.label("alice invites you to the room pond."))
        try await bob.clicks(.button("Join"))
        try await bob.sees(.label("2 people"))
        try await bob.sees(.message("alice, The ice is ours."))
        try await bob.says("Is it thick enough?")
        try await alice.sees(.message("bob, Is it thick enough?"))
        try await bob.clicks(.button("About the room"))
        for person in [alice, bob] {
            try await person.reads([["alice", "Owner"], ["bob"]], in: "People in the room")
        }
    }
}
