import Foundation
import ServerFixtures

extension Story {
    /// She selects a picture in the file dialog, and previews it before it is sent; he sees it in its colours.
    func picture(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        let file = "\(stage.folder)/meadow.png"
        try await SpokenSample.run([
            "convert", "-size", "200x200", "xc:rgb(208,32,160)", "xc:rgb(32,176,64)", "+append", file,
        ])
        try await alice.clicks(.button("Send pictures or files"))
        try await alice.types(file, in: .window("Send Pictures or Files"), after: "ctrl+l")
        try await alice.presses("Return")
        try await alice.sees(.label("meadow.png"))
        try await alice.clicks(.button("Send"))
        try await alice.sees(.message("You, Picture", "Delivered to a device"))
        try await bob.sees(.message("alice, Picture"))
        let picture = Look(role: "filler", name: "Picture: meadow.png")
        for person in [alice, bob] {
            try await person.seesColour(208, 32, 160, of: picture, at: (0.25, 0.5))
            try await person.seesColour(32, 176, 64, of: picture, at: (0.75, 0.5))
        }
        // He finds it again on her contact page, and goes from there to the message.
        try await bob.clicks(.button("Contact Page"))
        let shared = Look(role: "push button", has: ["Picture, meadow.png, alice"])
        try await bob.seesColour(208, 32, 160, of: shared, at: (0.25, 0.5))
        try await bob.clicks(shared)
        try await bob.clicks(.button("Show in conversation"))
        try await bob.doesNotSee(shared)
        try await bob.sees(.message("alice, Picture"))
    }

    /// She drags files from a file manager into the conversation; they are previewed and sent in their order.
    func drop(_ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        let names = ["tulips.txt", "asters.txt"]
        for name in names {
            try "About \(name)".write(toFile: "\(stage.folder)/\(name)", atomically: true, encoding: .utf8)
        }
        try await alice.drops(names.map { "\(stage.folder)/\($0)" }, into: .list("Messages"))
        for name in names { try await alice.sees(.label(name)) }
        try await alice.clicks(.button("Send"))
        for person in [alice, bob] { try await person.reads(names.map { [$0] }, in: "Messages") }
    }

    /// The minimum correlation of two recordings of the same words: the encoder gives 0.96; different words have about
    /// 0.35.
    private static let sameWords = 0.9
    /// Under heavy load there can be gaps in the sound; then she records it again.
    private static let tries = 3

    /// She speaks, and he receives the same words.
    func voice(_ stage: Stage) async throws {
        let sample = try await SpokenSample(in: stage.folder)
        var known: Set<String> = []
        var likeness = 0.0
        for _ in 0..<Self.tries where likeness < Self.sameWords {
            try await sendVoice(sample, stage)
            let received = Set(stage.recordings(of: stage.bob)).subtracting(known)
            guard received.count == 1, let recording = received.first else {
                throw NotSeen(description: "He has \(received.count) new recordings instead of 1.")
            }
            known.insert(recording)
            likeness = try await sample.likeness(of: recording)
        }
        guard likeness >= Self.sameWords else {
            throw NotSeen(description: "What he hears is like what was said by \(likeness).")
        }
    }

    /// She records, listens to her recording, and sends it; he plays it.
    private func sendVoice(_ sample: SpokenSample, _ stage: Stage) async throws {
        let (alice, bob) = (stage.alice, stage.bob)
        try await alice.clicks(.button("Record a voice message"))
        try await alice.sees(.label("Recording"))
        try await stage.speak(sample)
        try await alice.clicks(.button("Stop and listen"))
        try await alice.sees(.label("Listen, send, or discard it"))
        try await alice.clicks(.button("Send the voice message"))
        try await alice.sees(.message("You, Voice message", "Delivered to a device"))
        try await bob.sees(.message("alice, Voice message"))
        try await bob.sees(.label("Not played yet"))
        try await bob.clicks(.button("Play voice message"))
        try await bob.sees(.button("Pause"))
        try await bob.sees(Look(role: "push button", has: ["Speed", "1×"]))
        try await bob.doesNotSee(.label("Not played yet"))
        try await bob.sees(.button("Play voice message"))
    }
}
