// A component with an address for every word: it says the word back in capitals.
import Hongyan

await Component.main {
    var configuration = try ComponentConfiguration.environment()
    let bot = AddressDescription(.init(category: "client", type: "bot", name: "Capitals"))
    configuration.add { ServiceDiscovery($0) { _, _ in bot } }
    configuration.add { ComponentRoster($0, policy: .acceptAll, presence: Presence(status: "Listening")) }
    return configuration
} run: { session in
    let events = session.events(.messages)
    print("ready")
    for await batch in events {
        for case .message(let message) in batch where message.isChatMessageWithBody {
            guard let sender = message.from, let body = message.body else { continue }
            var answer = Message.chat(to: sender, body: "\(message.to?.local ?? "all"): \(body.uppercased())")
            answer.from = message.to
            try await session.send(answer)
        }
    }
}
