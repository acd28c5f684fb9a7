import Hongyan

/// The bot of the test: it says back what it is told.
public func echo(in session: Session) async throws {
    let events = session.events(.messages)
    try await session.send(Presence())
    for await batch in events {
        for case .message(let message) in batch where message.isChatMessageWithBody {
            guard let sender = message.from, let body = message.body else { continue }
            try await session.send(.chat(to: sender, body: body), whenOffline: .wait)
        }
    }
}
