import Foundation
import ServerFixtures

extension Story {
    /// Below the conversations.
    private static let offline = Look.words("cannot be reached", "Next attempt")

    /// Her network fails while she writes; her messages wait, and arrive once when the network is back.
    func outage(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        let words = "The pond is frozen over."
        stage.aliceNetwork.configure { $0.acceptance = .refuse }
        stage.aliceNetwork.resetConnections()
        try await alice.sees(Self.offline)
        try await alice.says(words)
        try await alice.sees(.message("You, \(words)", "Waiting to be sent"))
        try await bob.looks()
        try await bob.says("Are you there?")
        try await bob.doesNotSee(.message("alice, \(words)"))
        stage.aliceNetwork.heal()
        try await bob.sees(.message("alice, \(words)"))
        try await alice.doesNotSee(Self.offline)
        try await alice.sees(.message("bob, Are you there?"))
        try await alice.looks()
        try await alice.sees(.message("You, \(words)", "Seen"))
        try await alice.sees(.label("online"))
        try await alice.says("Here I am again.")
        // A duplicate would have arrived before this.
        try await bob.sees(.message("alice, Here I am again."))
        for (person, name) in [(alice, "You"), (bob, "alice")] { try await person.hasOnce("\(name), \(words)") }
    }

    /// Her program is killed with a waiting message and a draft; both are there after a restart, in the window as she left
    /// it.
    func crash(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        let (words, draft) = ("Skating at four?", "And bring the")
        stage.aliceNetwork.configure { $0.acceptance = .refuse }
        stage.aliceNetwork.resetConnections()
        try await alice.sees(Self.offline)
        try await alice.says(words)
        try await alice.sees(.message("You, \(words)", "Waiting to be sent"))
        try await alice.writes(draft, into: "Message")
        try await until("her draft is stored") { stage.stored(by: alice).contains(draft) }
        let window = (width: 1020, height: 740)
        try await alice.resizes(.field("Message"), to: window.width, window.height)
        try await until("the size of her window is stored") {
            stage.windowSize(of: alice).map { $0 == window } ?? false
        }
        alice.program.kill()
        try await alice.start(until: .field("Message", saying: draft))
        try await alice.hasWindow(.field("Message"), of: window.width, window.height)
        try await alice.sees(.message("You, \(words)", "Waiting to be sent"))
        stage.aliceNetwork.heal()
        try await bob.sees(.message("alice, \(words)"))
        try await alice.looks()
        try await alice.sees(.message("You, \(words)", "Delivered to a device"))
        try await alice.presses("Return")
        try await bob.sees(.message("alice, \(draft)"))
        for (person, name) in [(alice, "You"), (bob, "alice")] { try await person.hasOnce("\(name), \(words)") }
    }
}
