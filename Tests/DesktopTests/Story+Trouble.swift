import Foundation
import ServerFixtures

extension Story {
    /// Her network goes while she writes. She is told, what she wrote waits, and arrives when the network is back.
    func networkLoss(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        stage.aliceNetwork.configure { $0.acceptance = .refuse }
        stage.aliceNetwork.resetConnections()
        try await alice.sees(.button("Connect now"))
        try await alice.says("Written in the tunnel.")
        try await alice.sees(.message("You, Written in the tunnel.", "Waiting to be sent"))
        try await bob.doesNotSee(.message("Written in the tunnel."))
        stage.aliceNetwork.configure { $0.acceptance = .forward }
        try await bob.sees(.message("alice, Written in the tunnel."))
        try await alice.sees(.message("You, Written in the tunnel.", "Delivered to a device"))
        try await alice.doesNotSee(.button("Connect now"))
    }

    /// Her program is killed without a word. Started again, it has all that was said, and she is still signed in.
    func crash(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        alice.program.kill()
        try await bob.says("Are you there?")
        try await alice.start(until: .button("Main menu"))
        try await alice.clicks(.conversation("bob", "Are you there?"))
        try await alice.reads([
            ["You, Hello Bob, the geese are flying south.", "Seen"], ["bob, 鸿雁传书，平安到了 🎉"],
            ["You, Picture"], ["You, Voice message"],
            ["You, See you at the pond at noon.", "edited"], ["👍 from bob"], ["You, This message was deleted"],
            ["You, Written in the tunnel."], ["bob, Are you there?"],
        ])
        try await alice.says("Back again.")
        try await bob.sees(.message("alice, Back again."))
        try await bob.looks()
        try await bob.sees(.message("You, Are you there?", "Seen"))
    }

    /// Both leave by the keyboard. GTK had nothing to complain about in all that time.
    func end(_ stage: Stage) async throws {
        for person in [stage.alice, stage.bob] {
            try await person.clicks(.field("Message"))
            try await person.presses("ctrl+q")
            try await stage.until("the program of \(person.name) ends") { !person.program.isRunning }
            let output = person.program.output
            let complaints = output.split(separator: "\n").filter { line in
                ["-WARNING **", "-CRITICAL **", "-ERROR **", "Fatal error"].contains { line.contains($0) }
            }
            guard person.program.exitStatus == 0, complaints.isEmpty else {
                throw NotSeen(
                    description:
                        "\(person.name): \(person.program.exitStatus ?? -1) \(complaints) \(output.suffix(2000))")
            }
        }
    }
}
