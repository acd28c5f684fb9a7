import ChatFixtures
import Foundation
import Hongyan
import ServerFixtures
import Synchronization

/// Sixty people whom one person knows, without windows. They are on the contact list by a group of the server.
final class Flock: Sendable {
    static let size = 60
    /// How many of them sign in at once.
    private static let width = 6

    let server: PrivateProsody
    private let accounts: [ServerFixtures.Account]
    /// The list of the group, which the server reads.
    private let groups: String

    /// - Parameter person: the user name of the person whom they know.
    init(knowing person: String) async throws {
        let names = (1...Self.size).map(Self.user)
        groups = NSTemporaryDirectory() + "groups-" + UUID().uuidString
        let lines =
            ["[Flock]", "\(person)@xmpp.test"] + names.enumerated().map { "\($1)@xmpp.test=\(Self.name($0 + 1))" }
        try (lines.joined(separator: "\n") + "\n").write(toFile: groups, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: groups)
        server = try await PrivateProsody(
            ServerOptions { [groups] in
                $0.addedModules = ["groups"]
                $0.configurationLines = ["groups_file = \"\(groups)\""]
            })
        var accounts: [ServerFixtures.Account] = []
        for name in names { accounts.append(try await server.addUser(name, password: "honk-\(name)")) }
        self.accounts = accounts
    }

    deinit { try? FileManager.default.removeItem(atPath: groups) }

    static func user(_ number: Int) -> String { "goose" + (number < 10 ? "0" : "") + String(number) }
    static func name(_ number: Int) -> String { "Goose " + (number < 10 ? "0" : "") + String(number) }

    func address(_ number: Int) -> String { accounts[number - 1].address }

    private func client(_ number: Int) throws -> Client {
        let account = accounts[number - 1]
        var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
        configuration.use(server)
        return Client(configuration)
    }

    /// Each of them writes to somebody, in the order of their numbers within a few.
    func writes(_ text: @escaping @Sendable (Int) -> String, to address: String) async throws {
        let address = try JID(address)
        for first in stride(from: 1, through: Self.size, by: Self.width) {
            try await withThrowingTaskGroup { group in
                for number in first..<min(first + Self.width, Self.size + 1) {
                    let client = try client(number)
                    group.addTask {
                        try await client.run { session in
                            let token = try await session.send(Message.chat(to: address, body: text(number)))
                            try await token.reached(.acknowledged)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// One of them is online while the closure runs, and notes what arrives.
    func meets<Value: Sendable>(
        _ number: Int, _ body: @escaping @Sendable (Goose) async throws -> Value
    ) async throws -> Value {
        try await client(number).run { session in
            let goose = Goose(session)
            let events = session.events(.messages)
            try await session.send(Presence())
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask {
                    for await batch in events { goose.take(batch) }
                    return nil
                }
                group.addTask { try await body(goose) }
                while let value = try await group.next() {
                    guard let value else { continue }
                    group.cancelAll()
                    return value
                }
                throw NotSeen(description: "The session of goose \(number) ended.")
            }
        }
    }
}

/// One of a flock who is online.
final class Goose: Sendable {
    private let session: Session
    private let received = Mutex<[(sender: String, text: String)]>([])

    fileprivate init(_ session: Session) { self.session = session }

    fileprivate func take(_ batch: [SessionEvent]) {
        for case .message(let message) in batch where message.isChatMessageWithBody {
            guard let sender = message.from?.bare.description, let text = message.body else { continue }
            received.withLock { $0.append((sender, text)) }
        }
    }

    func says(_ text: String, to address: String) async throws {
        try await session.send(Message.chat(to: try JID(address), body: text))
    }

    /// Waits until somebody's text has arrived.
    func hears(_ text: String, from address: String) async throws {
        try await until("“\(text)” comes from \(address)") {
            received.withLock { $0.contains { $0 == (address, text) } }
        }
    }
}
