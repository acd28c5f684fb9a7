import Foundation
import ServerFixtures

extension Story {
    static let password = "wild-goose-26"

    /// Both create accounts: she at a provider that she knows, he with an invitation of the provider.
    func accounts(_ stage: Stage) async throws {
        let (alice, bob, server) = (stage.alice, stage.bob, stage.server)
        try await alice.start(until: .label("Welcome to Hongyan"))
        try await alice.clicks(.button("Create an Account"))
        try await alice.clicks(.label("Other provider…"))
        try await alice.writes(server.domain, into: "Provider")
        try await register(alice, as: "alice", through: stage.aliceNetwork)

        let invitation = try await server.invitation()
        try await bob.start(until: .label("Welcome to Hongyan"))
        try await bob.clicks(.button("Use an Invitation"))
        try await bob.writes(invitation, into: "Link")
        try await bob.presses("Return")
        try await register(bob, as: "bob", through: stage.bobNetwork)
    }

    /// Starts at the provider's page. The server cannot be found by its name, and no authority signed its certificate.
    private func register(_ person: PersonAtWindow, as name: String, through network: FaultProxy) async throws {
        try await person.clicks(.label("Server settings"))
        try await person.writes("127.0.0.1", into: "Host")
        try await person.writes(String(network.port), into: "Port")
        try await person.clicks(.button("Continue"))
        try await person.clicks(.button("Trust Always"))
        try await person.writes(name, into: "User name")
        try await person.writes(Self.password, into: "Password", readable: false)
        try await person.writes(Self.password, into: "Confirm password", readable: false)
        try await person.clicks(.button("Create Account"))
        try await person.sees(.button("Main Menu"))
        try await person.presses("ctrl+question")
        try await person.sees(.label("Keyboard Shortcuts"))
        try await person.sees(.label("Next conversation"))
        try await person.presses("Escape")
        try await person.doesNotSee(.label("Next conversation"))
        // No hidden window may remain: GTK 4.8 would return it instead of the closed one.
        try await person.asksForClosedWindow()
        try await person.sees(.button("Main Menu"))
    }

    /// She quits the program from its menu, and opens it again with a link to him.
    func beginning(_ stage: Stage) async throws {
        let alice = stage.alice
        try await alice.clicks(.button("Main Menu"))
        try await alice.clicks(.menuItem("Quit"))
        try await until("her program ends") { !alice.program.isRunning }
        guard alice.program.exitStatus == 0 else {
            throw NotSeen(description: "It ended with \(alice.program.exitStatus ?? -1): \(alice.program.output)")
        }
        try await alice.start(["xmpp:bob@\(stage.server.domain)"], until: .field("Message"))
        try await alice.looks()
        try await alice.sees(.label("bob"))
    }

    /// Both write; each sees the messages of the other, and the states of their own.
    func texts(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.says("Hello Bob, the geese are flying south.")
        // Nobody has turned encryption on: it is on in new accounts.
        try await alice.sees(.message("You, Hello Bob", "Encrypted", "Delivered to a device"))
        try await until("his desktop tells him") { stage.notified.contains("the geese are flying south") }
        try await bob.clicks(.conversation("alice", "1 unread", "the geese are flying south"))
        try await bob.sees(.message("alice, Hello Bob, the geese are flying south.", "Encrypted"))
        try await alice.looks()
        try await alice.sees(.message("You, Hello Bob", "Seen"))
        try await bob.says("鸿雁传书，平安到了 🎉")
        try await alice.sees(.message("bob, 鸿雁传书，平安到了 🎉"))
        try await bob.sees(.message("You, 鸿雁传书", "Delivered to a device"))
        try await alice.looks()
        try await bob.looks()
        try await bob.sees(.message("You, 鸿雁传书", "Seen"))
    }

    /// His desktop is a different one now, where he replies without opening the window.
    func answer(_ stage: Stage) async throws {
        let alice = stage.alice
        let desktop = try stage.desktop.notifications(capabilities: PrivateNotifications.typing)
        try await alice.looks()
        try await alice.says("When will they arrive?")
        try await until("his desktop lets him answer") {
            desktop.lines.contains { $0.contains("When will they arrive?") && $0.contains("inline-reply") }
        }
        try await desktop.type("With the first frost.", intoNumber: 1)
        try await alice.sees(.message("bob, With the first frost."))
        try await alice.sees(.message("You, When will they arrive?", "Seen"))
        try await until("the notification goes") { desktop.lines.contains { $0.contains("closed") } }
        try await stage.bob.looks()
    }
}
