import HostileFixtures
import ServerFixtures
import Synchronization
import XMLStreaming

@testable import ChaosClient

/// Strangers and a fellow user who attack people that talk: one attack after the other, chosen by a seed.
final class Attackers: Sendable {
    /// The domains of the strangers, and all that the server must have room for.
    private static let strangers = (1...4).map { "evil\($0).test" }
    static let domains = strangers + [AttackRoom.domain]
    /// Milliseconds between two attacks.
    private static let pause = 20...120
    /// Letters in the longest body and in the longest id.
    private static let longText = 100_000

    private let server: RunningServer
    /// Bare addresses of everybody who is attacked.
    private let victims: [String]
    /// The room in which the fellow user is, too.
    private let room: String
    private let fellow: HostileUser
    /// The attackers' own room.
    let lair: AttackRoom
    private let devices: [ChaosDevice]
    private let services = Mutex<[HostileComponent]>([])
    private let random: Mutex<SeededGenerator>
    private let payloads: Mutex<WirePayloads>
    private let made = Mutex<[String: Int]>([:])
    /// What the connections that have ended were told by victims.
    private let told = Mutex<[String]>([])

    /// - Parameter devices: those that talk to each other; they enter the attackers' room as well.
    init(
        seed: UInt64, on server: RunningServer, devices: [ChaosDevice], victims: [String], room: String
    ) async throws {
        self.server = server
        self.devices = devices
        self.victims = victims
        self.room = room
        lair = try await AttackRoom(seed: seed, on: server)
        random = Mutex(SeededGenerator(seed: seed))
        payloads = Mutex(WirePayloads(seed: seed))
        fellow = try await HostileUser(server.newAccount("mallory"), on: server)
        for domain in Self.strangers {
            let service = try await HostileComponent(domain: domain, to: server)
            services.withLock { $0.append(service) }
        }
        try await fellow.send(
            "<presence/><presence to='\(room)/mallory'><x xmlns='http://jabber.org/protocol/muc'/></presence>")
        try await fellow.line.next("own presence in the room") { $0["from"] == "\(room)/mallory" }
        for device in devices { try device.order { [lair] in $0.otherRooms = [lair.room.address] } }
    }

    /// How often each kind of attack was made.
    var attacks: String {
        made.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// Attacks for so long.
    func attack(for time: Duration) async throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            try await attackOnce()
            let pause = random.withLock { Int.random(in: Self.pause, using: &$0) }
            try await Task.sleep(for: .milliseconds(pause))
        }
    }

    private func attackOnce() async throws {
        let (kind, victim, number) = random.withLock { random in
            (
                Self.kinds.randomElement(using: &random) ?? "poison", victims.randomElement(using: &random) ?? "",
                Int.random(in: 0..<Self.strangers.count, using: &random)
            )
        }
        var service = services.withLock { $0[number] }
        if await service.line.hasEnded {
            // The server has refused what it was sent.
            await note(service)
            service = try await service.again(on: server)
            services.withLock { [service] in $0[number] = service }
        }
        made.withLock { $0[kind, default: 0] += 1 }
        if kind == "room" {
            // Not beside a generated `<body/>`: what an occupant says is shown, and rightly so.
            try? await fellow.send("<message to='\(room)' type='groupchat'><x xmlns='urn:x'>\(payload)</x></message>")
        } else if kind == "fellow" {
            try? await fellow.send(text(of: "poison", to: victim, from: fellow.address))
        } else if kind == "room deed" {
            guard let genuine else { return }
            let deeds = AttackRoom.deeds(to: genuine.id, 0)
            let deed = random.withLock { deeds.randomElement(using: &$0) } ?? ""
            try? await fellow.send("<message to='\(room)' type='groupchat' id='d\(genuine.id)'>\(deed)</message>")
            try? await fellow.send(
                "<message to='\(genuine.receiver == room ? victim : genuine.receiver)' type='chat'>\(deed)</message>")
        } else if AttackRoom.kinds.contains(kind) {
            try await lair.attack(kind, on: genuine, between: (victim, other(than: victim)), in: room)
        } else {
            try? await service.send(text(of: kind, to: victim, from: service.stranger + "/r"))
        }
    }

    private static let kinds =
        [
            "poison", "poison", "generated", "presence", "carbon", "archive", "receipt", "marker", "correction", "push",
            "probe", "avatar", "subscription", "backdated", "bookmark", "long", "flood", "id", "room", "fellow",
            "room deed",
        ] + AttackRoom.kinds

    private var genuine: AttackRoom.Genuine? {
        random.withLock { random in
            devices.randomElement(using: &random).flatMap { AttackRoom.Genuine(sentBy: $0, using: &random) }
        }
    }

    private func other(than victim: String) -> String {
        random.withLock { random in victims.filter { $0 != victim }.randomElement(using: &random) ?? victim }
    }

    private var payload: String {
        let isKnown = random.withLock { Bool.random(using: &$0) }
        // The one that becomes 15 MB would only measure the server.
        let known = random.withLock { Poison.all.filter { $0.id != "P7" }.randomElement(using: &$0)?.content }
        return isKnown ? known ?? "" : payloads.withLock { $0.next() }
    }

    /// A stanza; what would be shown if it were believed is a text that nobody typed, where the ledgers look.
    private func text(of kind: String, to victim: String, from sender: String) -> String {
        let number = random.withLock { Int.random(in: 100_000..<999_999, using: &$0) }
        let other = other(than: victim)
        let frame = "from='\(sender)' to='\(victim)' id='x\(number)'"
        let forged =
            "<forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='\(other)/r' to='\(victim)' "
            + "type='chat' id='f\(number)'><body>forged \(number)</body></message></forwarded>"
        func message(_ content: String, type: String = "chat") -> String {
            "<message \(frame) type='\(type)'>\(content)</message>"
        }
        switch kind {
        case "generated": return message("<body>g</body>\(payload)")
        case "presence": return "<presence \(frame)>\(payload)</presence>"
        case "carbon": return message("<received xmlns='urn:xmpp:carbons:2'>\(forged)</received>")
        case "archive": return message("<result xmlns='urn:xmpp:mam:2' queryid='q' id='\(number)'>\(forged)</result>")
        case "receipt": return message("<received xmlns='urn:xmpp:receipts' id='m\(number)'/>")
        case "marker": return message("<displayed xmlns='urn:xmpp:chat-markers:0' id='m\(number)'/>")
        case "correction":
            return message(AttackRoom.deeds(to: genuine?.id ?? "m\(number)", number)[number % 3])
        case "push":
            return
                "<iq \(frame) type='set'><query xmlns='jabber:iq:roster'><item jid='\(other)' subscription='remove'/>"
                + "</query></iq>"
        case "probe":
            return message(
                "<request xmlns='urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/>", type: "headline")
                + message("<body>hello?</body><request xmlns='urn:xmpp:receipts'/>")
        case "avatar":
            let hash = String(repeating: "ab", count: 20)
            return "<presence \(frame)><x xmlns='vcard-temp:x:update'><photo>\(hash)</photo></x></presence>"
        case "subscription":
            return "<presence from='s\(number % 50)@\(Self.domains[0])' to='\(victim)' type='subscribe'/>"
        case "backdated":
            return message("<body>old</body><delay xmlns='urn:xmpp:delay' stamp='2019-01-01T00:00:00Z'/>")
        case "bookmark":
            return message(
                "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='urn:xmpp:bookmarks:1'>"
                    + "<item id='lobby@\(Self.domains[0])'><conference xmlns='urn:xmpp:bookmarks:1' autojoin='true'/></item>"
                    + "</items></event>", type: "headline")
        case "long":
            return message(
                "<body>\(String(repeating: number % 2 == 0 ? "x" : "&#10;", count: Self.longText / 5))</body>")
        case "flood": return (0..<50).map { _ in message("<body>flood</body>") }.joined()
        case "id":
            let id = String(repeating: "A", count: Self.longText)
            return
                "<message from='\(sender)' to='\(victim)' id='\(id)'><body/><request xmlns='urn:xmpp:receipts'/></message>"
                + String(repeating: "\n", count: 100)
        default: return message("<body>p</body>\(payload)")
        }
    }

    /// What servers say in the name of their users, whether these are online or not: errors, Prosody's confirmation that it has a
    /// subscription request, ejabberd's question for capabilities (`rr-…`).
    private static func isOfServer(_ element: XMLElement) -> Bool {
        element["type"] == "error" || element["id"]?.hasPrefix("rr-") == true
            || (element.localName == "presence" && element["type"] == "unavailable"
                && element["from"]?.contains("/") == false)
    }

    private func note(_ service: HostileComponent) async {
        var heard: [String] = []
        for element in await service.line.received {
            guard let from = element["from"], victims.contains(where: { from.hasPrefix($0) }) else { continue }
            guard !Attackers.isOfServer(element) else { continue }
            heard.append(String(element.description.prefix(200)))
        }
        told.withLock { [heard] in $0 += heard }
    }

    /// What victims have said to strangers: nothing, if all is well.
    func leaked() async -> [String] {
        for service in services.withLock({ $0 }) { await note(service) }
        return told.withLock { $0 }
    }

    /// A message behind everything that was sent by a stranger until now.
    func sendMarker(_ text: String, to address: String) async throws {
        var service = services.withLock { $0[0] }
        if await service.line.hasEnded {
            service = try await service.again(on: server)
            services.withLock { [service] in $0[0] = service }
        }
        try await service.send(
            "<message from='\(service.stranger)/r' to='\(address)' type='chat' id='\(text)'><body>\(text)</body></message>"
        )
    }
}
