import ServerFixtures
import Synchronization
import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// Stanzas that Prosody or ejabberd accept from any sender and forward, and that once ended sessions permanently: the
/// session stays online, the next message arrives, and the stanza does not arrive again.
@Suite("Poison stanzas through real servers", .timeLimit(.minutes(20)))
struct PoisonLiveTests {
    /// The attacker's stanza; `TO` is replaced by the receiver's address.
    struct Poison: Sendable, CustomTestStringConvertible {
        var name: String
        var xml: String
        var isPresence = false
        /// Servers that reject it.
        var refusing: [ServerKind] = []
        /// Servers that cannot read it from their offline storage.
        var losing: [ServerKind] = []

        var testDescription: String { name }

        /// A message with a content.
        init(_ name: String, _ payload: String, refusing: [ServerKind] = [], losing: [ServerKind] = []) {
            self.name = name
            xml = "<message to='TO' type='chat' id='poison'><body>hi</body>\(payload)</message>"
            self.refusing = refusing
            self.losing = losing
        }

        init(_ name: String, presence payload: String) {
            self.name = name
            xml = "<presence to='TO' id='poison'>\(payload)</presence>"
            isPresence = true
        }
    }

    private static func attributes(_ count: Int, _ prefix: String = "") -> String {
        (0..<count).map { " \(prefix)a\($0)=''" }.joined()
    }
    private static let long = String(repeating: "n", count: 1030)

    static let poisons = [
        Poison("P1, an element with the prefix xml", "<xml:a/>", losing: [.ejabberd]),
        Poison("P2, 130 attributes", "<x xmlns='urn:x'\(attributes(130))/>"),
        Poison("P3, a long name of an element", "<\(long) xmlns='urn:x'/>"),
        Poison("P3, a long name of an attribute", "<x xmlns='urn:x' \(long)=''/>"),
        Poison(
            "P4, depth 142",
            "<x xmlns='urn:x'>" + String(repeating: "<a>", count: 140) + String(repeating: "</a>", count: 140) + "</x>",
            refusing: [.prosody]),
        Poison("P5, directed presence with 130 attributes", presence: "<x xmlns='urn:x'\(attributes(130))/>"),
        Poison(
            "P7, 50 KB that become 15 MB",
            "<x xmlns='urn:x' xmlns:p='\(String(repeating: "n", count: 2000))'>"
                + String(repeating: "<p:a/>", count: 8000) + "</x>"),
        Poison("P8, xml:space", "<x xmlns='urn:x' xml:space='zzz'/>"),
        Poison("P8, 70 attributes with a prefix", "<x xmlns='urn:x' xmlns:p='urn:p'\(attributes(70, "p:"))/>"),
        Poison(
            "P8, 70 namespaces and 60 attributes",
            "<x xmlns='urn:x'" + (0..<70).map { " xmlns:n\($0)='urn:\($0)'" }.joined() + "\(attributes(60))/>"),
        Poison("a namespace of 5000 bytes", "<x xmlns='\(String(repeating: "n", count: 5000))'/>"),
    ]

    /// The transport of a session, to write without the session.
    private final class Wire: Sendable {
        private let transport = Mutex<(any Transport)?>(nil)

        func tap(_ configuration: inout ClientConfiguration) {
            let connect = configuration.transports.connect
            configuration.transports = TransportFactory { target throws(TransportError) in
                let made = try await connect(target)
                self.transport.withLock { $0 = made }
                return made
            }
            // Bytes written without the session must not be counted.
            configuration.usesStreamManagement = false
        }

        func write(_ xml: String) async throws {
            try await transport.withLock { $0 }?.write(Array(xml.utf8))
        }
    }

    /// Runs a session that can write any bytes.
    private func attack(
        _ server: any PrivateServer, _ work: @escaping @Sendable (Session, Wire) async throws -> Void
    ) async throws {
        let wire = Wire()
        let configuration = try server.configuration(try await server.newAccount("mallory"), resource: "x") {
            wire.tap(&$0)
        }
        try await Client(configuration).run { session in try await work(session, wire) }
    }

    @Test(
        "to an online client: the session continues, and the next message arrives", arguments: ServerKind.allCases,
        poisons)
    func online(kind: ServerKind, poison: Poison) async throws {
        guard !poison.refusing.contains(kind) else { return }
        let server = try await kind.shared()
        let account = try await server.newAccount("victim")
        try await Client(try server.configuration(account, resource: "r") { $0.reconnection = .never }).run { victim in
            let events = victim.events([.messages, .presences, .elements])
            try await victim.send(Presence())
            let receiver = try JID("\(account.address)/r")
            try await attack(server) { session, wire in
                try await wire.write(poison.xml.replacing("TO", with: receiver.description))
                try await session.send(Message(to: receiver, type: .chat, id: "after", body: "after"))
                _ = await events.first { event -> Bool? in
                    if case .message(let message) = event, message.id == "after" { true } else { nil }
                }
                _ = try await session.request(Ping())
            }
            _ = try await victim.request(Ping())
            #expect(await victim.isOnline)
        }
    }

    @Test("to an offline client: all of them arrive once, and none again", arguments: ServerKind.allCases)
    func offline(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let account = try await server.newAccount("victim")
        let configuration = try server.configuration(account, resource: "r") { $0.reconnection = .never }
        let receiver = try JID(account.address)
        func login(until last: String, _ work: @escaping @Sendable (Session) async throws -> Void = { _ in })
            async throws -> [String]
        {
            let seen = Mutex<[String]>([])
            try await Client(configuration).run { victim in
                let events = victim.events([.messages, .elements])
                try await victim.send(Presence())
                try await work(victim)
                _ = await events.first { event -> Bool? in
                    switch event {
                    case .message(let message):
                        seen.withLock { $0.append(message.id ?? "") }
                        return message.id == last ? true : nil
                    case .skipped(let element):
                        seen.withLock { $0.append("skipped " + (element.id ?? "")) }
                        return nil
                    default: return nil
                    }
                }
                _ = try await victim.request(Ping())
            }
            return seen.withLock(\.self)
        }
        let sent = Self.poisons.filter { !$0.isPresence && !$0.refusing.contains(kind) }
        try await attack(server) { session, wire in
            for poison in sent {
                let xml = poison.xml.replacing("TO", with: receiver.description)
                try await wire.write(xml.replacing("id='poison'", with: "id='\(poison.name)'"))
            }
            try await session.send(Message(to: receiver, type: .chat, id: "after", body: "after"))
            _ = try await session.request(Ping())
        }
        let first = try await login(until: "after")
        let missing = sent.filter { !$0.losing.contains(kind) }.map(\.name).filter { name in
            !first.contains(name) && !first.contains("skipped " + name)
        }
        #expect(missing.isEmpty, "\(first)")
        #expect(first.count { $0.hasPrefix("skipped") } >= 4, "\(first)")
        try await attack(server) { session, _ in
            try await session.send(Message(to: receiver, type: .chat, id: "later", body: "later"))
            _ = try await session.request(Ping())
        }
        #expect(try await login(until: "later") == ["later"])
    }
}
