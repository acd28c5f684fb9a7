import Hongyan

await Client.main {
    ClientConfiguration(address: try JID("echo@example.org"), password: readLine() ?? "")
} run: { session in
    let events = session.events(.messages)
    try await session.send(Presence())
    for await batch in events {
        for case .message(let message) in batch where message.isChatMessageWithBody {
            guard let sender = message.from, let body = message.body else { continue }
            try await session.send(.chat(to: sender, body: body))
        }
    }
}
