@testable import ChaosClient

/// The stores of all devices, compared with what was typed.
struct ChaosVerdict: Sendable, Equatable {
    struct Finding: Sendable, Equatable {
        enum Kind: String, Sendable, CaseIterable {
            case lost, duplicated, disordered = "out of order", wrongState = "wrong state"
            /// A forged message: it has the name of a user who never typed it, or a message was changed in their name;
            /// in these runs there are no corrections, retractions or reactions.
            case forged
            // Of encrypted runs.
            /// It was encrypted for a device that cannot decrypt it.
            case unreadable
            /// It was sent in clear, or is stored as if it had been.
            case clear = "in clear"
            /// A device can read what was sent before it existed.
            case early = "read too early"
        }

        var kind: Kind
        var device: String
        var conversation: String
        /// The text of the message; of the first one of several.
        var body: String
        var sentence: String
    }

    var findings: [Finding] = []
    var typed = 0
    /// The number of arrived messages among those that were being typed when a process ended.
    var uncertain = 0
    /// Direct messages with a receipt.
    var delivered = 0
    var direct = 0
    /// Messages on devices in an encrypted run: decrypted; sent without a key for the device; unreadable because a store
    /// was restored.
    var decrypted = 0
    var withoutKey = 0
    var afterRestore = 0
    /// Those of ``afterRestore`` by device. They end when the sessions are repaired, so a device has few of them.
    private var lossesOfDevice: [String: Int] = [:]
    private static let lossLimit = 100
    private let secrecy: ChaosSecrecy?

    static func == (one: Self, other: Self) -> Bool {
        one.findings == other.findings && one.typed == other.typed && one.delivered == other.delivered
            && one.decrypted == other.decrypted
    }

    var isGood: Bool { findings.isEmpty }

    func count(_ kind: Finding.Kind) -> Int { findings.count { $0.kind == kind } }

    /// The contents of one device.
    private struct View {
        let device: ChaosDevice
        /// By conversation, as others refer to it.
        var conversations: [Name: [TimelineDump.Line]] = [:]
    }

    /// A conversation independent of the viewer: the room, or two users.
    private struct Name: Hashable {
        var room: String?
        var people: Set<Int> = []
    }

    /// - Parameter secrecy: of an encrypted run.
    init(of devices: [ChaosDevice], room: String, _ secrecy: ChaosSecrecy? = nil) {
        self.secrecy = secrecy
        findings = (secrecy?.leaks ?? []).map {
            Finding(kind: .clear, device: $0.device, conversation: "-", body: $0.body, sentence: "is on the wire")
        }
        let persons = Dictionary(devices.map { ($0.address, $0.person) }, uniquingKeysWith: { first, _ in first })
        func name(_ conversation: String, of device: ChaosDevice) -> Name? {
            if conversation == room { return Name(room: room) }
            return persons[conversation].map { Name(people: [device.person, $0]) }
        }
        let views = devices.map { device in
            var view = View(device: device)
            for dump in device.dump {
                if let name = name(dump.conversation, of: device) {
                    view.conversations[name] = dump.lines
                } else {
                    judgeForeign(dump, on: device, people: Set(persons.keys))
                }
            }
            return view
        }
        // The typed messages, and where they must be.
        var typed: [Name: [(device: ChaosDevice, entry: Ledger.Entry)]] = [:]
        for device in devices {
            for entry in device.ledger {
                guard let name = name(entry.conversation, of: device) else { continue }
                typed[name, default: []].append((device, entry))
            }
        }
        for (name, entries) in typed {
            let members = views.filter { name.room != nil || name.people.contains($0.device.person) }
            let names = Set(
                devices.map { device in name.room.map { "\($0)/\(device.name.prefix(1))" } ?? device.address })
            judge(entries, in: name, members, names: names)
        }
        // Sorted, because dictionaries have no order and equal verdicts must be equal.
        findings.sort {
            ($0.device, $0.conversation, $0.body, $0.sentence) < ($1.device, $1.conversation, $1.body, $1.sentence)
        }
    }

    /// A conversation with an attacker, in which no user takes part. In a room of an attacker only the room can tell
    /// who sent a message, and all names are its own.
    private mutating func judgeForeign(_ dump: TimelineDump, on device: ChaosDevice, people: Set<String>) {
        for line in dump.lines where people.contains(Self.bare(line.sender)) {
            findings.append(
                Finding(
                    kind: .forged, device: device.name, conversation: dump.conversation, body: line.body,
                    sentence: "stands there as said by \(line.sender)"))
        }
    }

    private static func bare(_ address: String) -> String { String(address.prefix { $0 != "/" }) }

    private mutating func judge(
        _ entries: [(device: ChaosDevice, entry: Ledger.Entry)], in name: Name, _ members: [View], names: Set<String>
    ) {
        let label = name.room ?? name.people.sorted().map(String.init).joined(separator: "-")
        var places: [[String: [Int]]] = []
        for view in members {
            var bodies: [String: [Int]] = [:]
            for (index, line) in (view.conversations[name] ?? []).enumerated() {
                bodies[line.body, default: []].append(index)
            }
            places.append(bodies)
        }
        // What could not be decrypted has no text, but its id.
        let unread = members.map { view in
            (view.conversations[name] ?? []).reduce(into: [String: Int]()) { counts, line in
                if line.isUnreadable { counts[line.id, default: 0] += 1 }
            }
        }
        var known: Set<String> = []
        for (author, entry) in entries {
            let body = Ledger.body(author.name, entry.number)
            known.insert(body)
            let seen = places.map { $0[body]?.count ?? 0 }
            func find(_ kind: Finding.Kind, _ index: Int, _ sentence: String) {
                findings.append(
                    Finding(
                        kind: kind, device: members[index].device.name, conversation: label, body: body,
                        sentence: sentence))
            }
            let isAnywhere = seen.contains { $0 > 0 }
            var isTyped = entry.fate == .typed
            if entry.fate == .unknown, isAnywhere {
                isTyped = true
                uncertain += 1
            }
            if isTyped { self.typed += 1 }
            if isTyped, name.room == nil { direct += 1 }
            for (index, count) in seen.enumerated() {
                if isTyped, count == 0, secrecy == nil { find(.lost, index, "is not there") }
                if !isTyped, count > 0 { find(.wrongState, index, "is there and was refused when it was typed") }
                if count > 1 { find(.duplicated, index, "is there \(count) times") }
            }
            if let secrecy, isTyped {
                let lines = members.enumerated().flatMap { index, view in
                    (places[index][body] ?? []).compactMap { view.conversations[name]?[$0] }
                }
                let ids = Set(lines.map(\.id))
                for (index, view) in members.enumerated() {
                    let gaps = ids.reduce(0) { $0 + (unread[index][$1] ?? 0) }
                    let line = places[index][body]?.first.flatMap { view.conversations[name]?[$0] }
                    let isOlder = view.device.isLate && ids.contains { secrecy.isOlder($0, than: view.device) }
                    if seen[index] + gaps > 1, gaps > 0 {
                        find(.duplicated, index, "is there, and unreadable \(gaps) times")
                    }
                    switch line {
                    case let line? where line.protection == "clear": find(.clear, index, "came in clear")
                    case _? where isOlder: find(.early, index, "is readable on a device that came later")
                    case _?: decrypted += 1
                    case nil where gaps == 0:
                        // Servers may keep only the later part for a new device.
                        if !isOlder { find(.lost, index, "is not there") }
                    case nil where ids.contains { secrecy.isFor(view.device, $0) == false }: withoutKey += 1
                    case nil where author.wasRestored || view.device.wasRestored:
                        afterRestore += 1
                        lossesOfDevice[view.device.name, default: 0] += 1
                        if lossesOfDevice[view.device.name, default: 0] > Self.lossLimit {
                            find(
                                .unreadable, index, "cannot be decrypted, like \(Self.lossLimit) others after a restore"
                            )
                        }
                    case nil where view.device.isLate && ids.allSatisfy { secrecy.isFor(view.device, $0) == nil }:
                        withoutKey += 1
                    case nil: find(.unreadable, index, "cannot be decrypted")
                    }
                }
            }
            let arrived = members.indices.contains { index in
                members[index].device.person != author.person && (seen[index] > 0 || !unread[index].isEmpty)
            }
            for (index, view) in members.enumerated() {
                for place in places[index][body] ?? [] {
                    guard let line = view.conversations[name]?[place] else { continue }
                    let isOwn = view.device.person == author.person
                    let isOfAuthor =
                        name.room.map { line.sender == "\($0)/\(author.name.prefix(1))" }
                        ?? (Self.bare(line.sender) == author.address)
                    if !isOfAuthor { find(.forged, index, "is said to be of \(line.sender)") }
                    if line.isOutgoing != isOwn { find(.wrongState, index, "is taken for somebody else's") }
                    guard isOwn else { continue }
                    let isFinal = ["sent", "delivered", "displayed"].contains(line.state)
                    if !isFinal || !arrived { find(.wrongState, index, "says \(line.state)") }
                    if view.device === author, line.state == "delivered", name.room == nil { delivered += 1 }
                }
            }
        }
        for view in members {
            func find(_ line: TimelineDump.Line, _ sentence: String) {
                findings.append(
                    Finding(
                        kind: .forged, device: view.device.name, conversation: label, body: line.body,
                        sentence: sentence))
            }
            for line in view.conversations[name] ?? [] {
                if line.changes != "-" { find(line, "was \(line.changes)") }
                // Another occupant of the room may send messages.
                if !known.contains(line.body), !line.isUnreadable,
                    names.contains(name.room == nil ? Self.bare(line.sender) : line.sender)
                {
                    find(line, "was never typed here, by \(line.sender)")
                }
            }
        }
        judgeOrder(in: name, label, members)
    }

    private static func readable(_ view: View, _ name: Name) -> [String] {
        (view.conversations[name] ?? []).filter { !$0.isUnreadable }.map(\.body)
    }

    /// The messages of one device have the same order everywhere; a room is the same for all.
    private mutating func judgeOrder(in name: Name, _ label: String, _ members: [View]) {
        for view in members {
            var last: [Substring: Int] = [:]
            for line in view.conversations[name] ?? [] {
                let words = line.body.split(separator: " ")
                guard words.count == 2, let number = Int(words[1]) else { continue }
                if let before = last[words[0]], before > number {
                    findings.append(
                        Finding(
                            kind: .disordered, device: view.device.name, conversation: label, body: line.body,
                            sentence: "stands behind \(words[0]) \(before)"))
                }
                last[words[0]] = max(number, last[words[0]] ?? 0)
            }
        }
        guard name.room != nil, let first = members.first else { return }
        let order = Self.readable(first, name)
        for view in members.dropFirst() {
            let other = Self.readable(view, name)
            let common = Set(order).intersection(other)
            let pair = zip(order.filter(common.contains), other.filter(common.contains)).first { $0 != $1 }
            if let pair {
                findings.append(
                    Finding(
                        kind: .disordered, device: view.device.name, conversation: label, body: pair.1,
                        sentence: "stands where \(first.device.name) has \(pair.0)"))
            }
        }
    }
}
