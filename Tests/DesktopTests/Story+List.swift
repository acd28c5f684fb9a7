import Foundation
import ServerFixtures

extension Story {
    /// She uses the box for a new conversation, the menu of the list up to its last entry, and the archive; and finds her
    /// window as she left it.
    func list(_ stage: Stage) async throws {
        let alice = stage.alice
        // The box finds a contact; Return opens the conversation, with the focus in its field.
        try await alice.looks()
        try await alice.presses("ctrl+n")
        try await alice.sees(.field("Name, address or room"))
        try await alice.writes("bo", into: "Name, address or room")
        try await alice.presses("Return")
        try await alice.doesNotSee(.field("Name, address or room"))
        try await alice.sees(.label("online"))
        try await alice.says("Shall we skate?")

        // Nothing of the menu is cut off.
        try await alice.clicks(.conversation("Pond"), button: 3)
        try await alice.sees(.menuItem("Delete From This Computer…"))
        try await alice.clicks(.menuItem("Archive"))
        try await alice.doesNotSee(.conversation("Pond"))
        try await alice.clicks(.button("Archive, 1"))
        try await alice.sees(.conversation("Pond"))
        try await alice.doesNotSee(.conversation("bob"))
        try await alice.clicks(.conversation("Pond"), button: 3)
        try await alice.clicks(.menuItem("Unarchive"))
        try await alice.sees(.conversation("bob"))
        try await alice.sees(.conversation("Pond"))

        // A room in which nothing was said yet.
        try await creates(alice, "Lake")
        try await alice.sees(.button("Invite"))
        try await alice.escapes(from: .button("Invite"))
        try await alice.sees(.label("1 person"))

        // The next start shows the conversation that was open, and each one at its place.
        try await alice.clicks(.conversation("Pond"))
        try await alice.sees(.label("2 people"))
        try await alice.reads([["Lake"], ["bob"], ["Pond"]], in: "Conversations")
        try await alice.clicks(.button("Main Menu"))
        try await alice.clicks(.menuItem("Quit"))
        try await until("her program ends") { !alice.program.isRunning }
        try await alice.start(until: .label("2 people"))
        try await alice.reads([["Lake"], ["bob"], ["Pond"]], in: "Conversations")
    }
}
