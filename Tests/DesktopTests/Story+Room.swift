import Foundation
import ServerFixtures

extension Story {
    /// Somebody creates a room; the window to invite people opens.
    func creates(
        _ person: PersonAtWindow, _ name: String, looking look: () async throws -> Void = {}
    ) async throws {
        try await person.clicks(.button("Main Menu"))
        try await person.clicks(.menuItem("Join or Create a Room…"))
        try await person.clicks(.label("Create a new room"))
        try await person.writes(name, into: "Name")
        try await look()
        try await person.clicks(.button("Create Room"))
    }

    /// She creates a room and invites him; both chat there, and each sees the occupants.
    func room(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await creates(alice, "Pond") { try await alice.sees(.label("pond@conference.\(stage.server.domain)")) }
        try await alice.clicks(.label("bob"))
        try await alice.clicks(.button("Invite"))
        try await alice.sees(.label("bob is invited."))
        try await alice.sees(.label("1 person"))
        try await alice.says("The ice is ours.")
        try await bob.sees(.label("alice invites you to the room Pond."))
        try await bob.clicks(.button("Join"))
        try await bob.sees(.label("2 people"))
        try await bob.sees(.conversation("Pond"))
        try await bob.sees(.message("alice, The ice is ours."))
        try await bob.says("Is it thick enough?")
        try await alice.sees(.message("bob, Is it thick enough?"))
        for person in [alice, bob] { try await person.clicks(.button("About the Room")) }
        for person in [alice, bob] {
            try await person.reads([["alice", "Owner"], ["bob"]], in: "People in the room")
        }
    }
}
