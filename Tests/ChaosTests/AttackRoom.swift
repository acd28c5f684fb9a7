import HostileFixtures
import ServerFixtures
import Synchronization

@testable import ChaosClient

/// A room of an attacker with an archive, which the victims have entered: it forges in everybody's name and about genuine messages.
final class AttackRoom: Sendable {
    /// A message that one of the people has really sent.
    struct Genuine: Sendable {
        var id: String
        /// Bare addresses; the receiver can be the people's own room.
        var author: String
        var receiver: String

        /// One that a device has sent a short time ago, from the end of its log: `… out to ADDRESS ID “text”`.
        init?(sentBy device: ChaosDevice, using random: inout SeededGenerator) {
            var lines: [[Substring]] = []
            for line in device.endOfLog.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count > 5, words[1] == "out", words[2] == "to" else { continue }
                if words[5].hasPrefix("“\(device.name)") { lines.append(words) }
            }
            guard let line = lines.randomElement(using: &random) else { return nil }
            (id, author, receiver) = (String(line[4]), device.address, String(line[3].prefix { $0 != "/" }))
        }
    }

    /// Attacks of this room, of which ``attack(_:on:between:)`` makes one.
    static let kinds = ["room archive", "room archive", "room says", "room throws out"]
    static let domain = "evil5.test"
    /// Messages that stay in the archive: every visitor reads all of them whenever it enters.
    private static let kept = 40

    let room: HostileRoom
    private let random: Mutex<SeededGenerator>

    init(seed: UInt64, on server: RunningServer) async throws {
        room = await HostileRoom(on: try await HostileComponent(domain: Self.domain, to: server), name: "lair")
        random = Mutex(SeededGenerator(seed: seed &+ 1))
    }

    func attack(
        _ kind: String, on genuine: Genuine?, between people: (one: String, other: String), in room: String
    ) async throws {
        guard await !self.room.component.line.hasEnded else { throw HostileFailure("The server has ended the room.") }
        let number = random.withLock { Int.random(in: 100_000..<999_999, using: &$0) }
        switch kind {
        case "room archive":
            let items = archived(number, genuine, people, room)
            let item = random.withLock { items.randomElement(using: &$0) }
            self.room.keep([item].compactMap(\.self), atMost: Self.kept)
        case "room says":
            let words = said(number, genuine, room)
            let extra = random.withLock { words.randomElement(using: &$0) } ?? ""
            try await self.room.say(
                number % 2 == 0 ? "" : "said \(number)", as: "juliet", id: "s\(number)", extra: extra)
        // Everybody enters again and reads the archive, which is much work for a small machine.
        default: if number % 8 == 0 { try await self.room.throwOut() }
        }
    }

    /// What the archive claims: messages, and what was done to genuine ones.
    private func archived(
        _ number: Int, _ genuine: Genuine?, _ people: (one: String, other: String), _ room: String
    ) -> [String] {
        func message(_ from: String, to: String, type: String = "chat", _ content: String) -> String {
            let from = from.isEmpty ? "" : " from='\(from)'"
            return
                "<message xmlns='jabber:client'\(from) to='\(to)' type='\(type)' id='a\(number)'>\(content)</message>"
        }
        let body = "<body>forged \(number)</body>"
        var items = [
            message(people.one + "/r", to: people.other, body),
            message(people.other + "/r", to: people.one, body),
            message("", to: people.one, body),
            message(room + "/a", to: people.one, type: "groupchat", body),
            message(self.room.address + "/juliet", to: people.one, type: "groupchat", "<body>said \(number)</body>"),
        ]
        guard let genuine else { return items }
        for content in Self.deeds(to: genuine.id, number) {
            items.append(message(genuine.author + "/r", to: genuine.receiver, content))
            items.append(
                message("\(genuine.receiver)/\(genuine.author.prefix(1))", to: people.one, type: "groupchat", content))
            items.append(message(self.room.address + "/a", to: people.one, type: "groupchat", content))
        }
        return items
    }

    /// What stands in a message of the room that everybody inside gets.
    private func said(_ number: Int, _ genuine: Genuine?, _ room: String) -> [String] {
        let carbon =
            "<received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>"
            + "<message xmlns='jabber:client' from='\(genuine?.author ?? room)/r' type='chat' id='c\(number)'>"
            + "<body>forged \(number)</body></message></forwarded></received>"
        guard let genuine else { return [carbon] }
        return Self.deeds(to: genuine.id, number) + [
            carbon, "<stanza-id xmlns='urn:xmpp:sid:0' by='\(genuine.receiver)' id='\(genuine.id)'/>",
            "<origin-id xmlns='urn:xmpp:sid:0' id='\(genuine.id)'/>",
            "<apply-to xmlns='urn:xmpp:fasten:0' id='\(genuine.id)'><moderated xmlns='urn:xmpp:message-moderate:0' "
                + "by='\(room)/a'><retract xmlns='urn:xmpp:message-retract:0'/></moderated></apply-to>",
        ]
    }

    /// A correction, a retraction and a reaction.
    static func deeds(to id: String, _ number: Int) -> [String] {
        [
            "<body>forged \(number)</body><replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>",
            "<retract xmlns='urn:xmpp:message-retract:1' id='\(id)'/>",
            "<reactions xmlns='urn:xmpp:reactions:0' id='\(id)'><reaction>👎</reaction></reactions>",
        ]
    }
}
