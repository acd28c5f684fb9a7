// Accepts every contact and says back what it is told.
import Hongyan

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.add { Roster($0, policy: .acceptAll) }
    configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "bot", name: "Echo")) }
    configuration.add { _ in DeliveryReceipts() }
    return configuration
} run: { session in
    let events = session.events(.messages)
    try await session.send(Presence(status: "I say what you say."))
    print("ready")
    for await batch in events {
        for case .message(let message) in batch where message.isChatMessageWithBody {
            guard let sender = message.from, let body = message.body else { continue }
            try await session.send(.chat(to: sender, body: body), whenOffline: .wait)
        }
    }
}
