// MoodBot ADDRESS MOOD: tells somebody its mood. MoodBot: prints the moods of others.
import Hongyan
import Moods

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.add { Roster($0, policy: .acceptAll) }
    configuration.add { ServiceDiscovery($0) }
    return configuration
} run: { session in
    // An extension can come while the session runs, and go again.
    let moods = try await session.add { _ in Moods() }
    let events = moods.events()
    try await session.send(Presence())
    let words = CommandLine.arguments
    if words.count == 3 {
        try await session.send(.mood(words[2], to: try JID(words[1]))).reached(.acknowledged)
        await session.remove(Moods.self)
        return
    }
    print("ready")
    for await event in events { print("\(event.sender.bare) is \(event.mood)") }
}
