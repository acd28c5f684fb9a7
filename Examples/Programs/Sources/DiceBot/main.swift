// DiceBot: throws dice for others. DiceBot ADDRESS: asks it for three throws.
import Dice
import Hongyan

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.add { Roster($0, policy: .acceptAll) }
    configuration.add { ServiceDiscovery($0) }
    configuration.add { Dice($0) }
    return configuration
} run: { session in
    guard let dice = session[Dice.self] else { return }
    let throwsForOthers = dice.events()
    try await session.send(Presence())
    if let peer = CommandLine.arguments.dropFirst().first {
        for _ in 1...3 { print(try await dice.roll(sides: 6, at: try JID(peer))) }
        return
    }
    print("ready as \(await session.address?.description ?? "")")
    for await event in throwsForOthers { print("\(event.requester.bare) got \(event.value)") }
}
