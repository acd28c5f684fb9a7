// Survivor FILE: answers every message once, whatever is killed: itself, the server, or both.
import Hongyan

let path = CommandLine.arguments.dropFirst().first ?? "session"
let store = try FileSessionStore(path: path) { (try? Message(from: $0))?.isChatMessageWithBody == true }

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.store = store
    configuration.reconnection.attempts = nil
    configuration.reconnection.retriesFirstLogin = true
    configuration.add { ServiceDiscovery($0) }
    configuration.add { MessageArchive($0) }
    configuration.add { ArchiveCatchUp($0, into: store) }
    return configuration
} run: { session in
    try await session.send(Presence())
    print("ready")
    for await received in store.inbox {
        let message = try Message(from: received.stanza)
        if let sender = message.from, let body = message.body {
            // The same id after a crash: a receiver recognises an answer that comes twice (XEP-0359).
            var answer = Message.chat(to: sender, body: "answer to \(body)")
            answer.payloads.append(OriginIdentifier("answer-\(received.number)"))
            try await session.send(answer, whenOffline: .wait).reached(.acknowledged)
        }
        try await store.finish(received)
    }
}
