// Swarm PREFIX COUNT: as many sessions in one process, of the accounts PREFIX1, PREFIX2, … with the password of the first. Each
// sends a message to the next one; at most 32 log in at the same time.
import Hongyan

struct Swarm {
    let template: ClientConfiguration
    let prefix: String
    let count: Int

    func run() async throws {
        let arrivals = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...count {
                if number > 32 { for await _ in arrivals.stream { break } }
                group.addTask { try await session(number) { arrivals.continuation.yield() } }
            }
            try await group.waitForAll()
        }
        print("\(count) sessions")
    }

    private func address(_ number: Int) throws -> JID {
        try JID(local: "\(prefix)\(number)", domain: template.address.domain)
    }

    private func session(_ number: Int, isOnline: () -> Void) async throws {
        var configuration = template
        configuration.address = try address(number)
        configuration.credentials.username = "\(prefix)\(number)"
        // One for the process would do; a bot on a server needs none.
        configuration.networkMonitor = nil
        try await Client(configuration).run { session in
            let events = session.events(.messages)
            try await session.send(Presence())
            isOnline()
            try await session.send(.chat(to: try address(number % count + 1), body: "Honk!"))
            for await batch in events where batch.contains(where: { if case .message = $0 { true } else { false } }) {
                return
            }
        }
    }
}

let words = CommandLine.arguments
guard words.count == 3, let count = Int(words[2]) else { fatalError("Usage: Swarm PREFIX COUNT") }
try await Swarm(template: .environment(), prefix: words[1], count: count).run()
