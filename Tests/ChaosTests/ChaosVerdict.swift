@testable import ChaosClient

/// What the stores of all devices say, held against what was typed.
struct ChaosVerdict: Sendable, Equatable {
    struct Finding: Sendable, Equatable {
        enum Kind: String, Sendable, CaseIterable {
            case lost, duplicated, disordered = "out of order", wrongState = "wrong state"
            /// It stands under the name of one of the people, who never said it, or something was done to a message in their name: in
            /// these runs nobody corrects, retracts or reacts.
            case forged
        }

        var kind: Kind
        var device: String
        var conversation: String
        /// The text of the message; of the first of several.
        var body: String
        var sentence: String
    }

    var findings: [Finding] = []
    var typed = 0
    /// Of those that were being typed when the process ended: how many are there.
    var uncertain = 0
    /// Direct messages of which a receipt has told.
    var delivered = 0
    var direct = 0

    var isGood: Bool { findings.isEmpty }

    func count(_ kind: Finding.Kind) -> Int { findings.count { $0.kind == kind } }

    /// What one device has.
    private struct View {
        let device: ChaosDevice
        /// By conversation, as others name it.
        var conversations: [Name: [TimelineDump.Line]] = [:]
    }

    /// A conversation as nobody in particular sees it: the room, or two people.
    private struct Name: Hashable {
        var room: String?
        var people: Set<Int> = []
    }

    init(of devices: [ChaosDevice], room: String) {
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
        // What was typed, and where it must be.
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
        // Dictionaries have no order; two verdicts that say the same are to be equal.
        findings.sort {
            ($0.device, $0.conversation, $0.body, $0.sentence) < ($1.device, $1.conversation, $1.body, $1.sentence)
        }
    }

    /// A conversation with an attacker: nobody of the people takes part in it. In a room of an attacker only the room itself can tell
    /// who says what, in names that are its own.
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
                if isTyped, count == 0 { find(.lost, index, "is not there") }
                if !isTyped, count > 0 { find(.wrongState, index, "is there and was refused when it was typed") }
                if count > 1 { find(.duplicated, index, "is there \(count) times") }
            }
            let arrived = members.indices.contains { index in
                members[index].device.person != author.person && seen[index] > 0
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
                // Another occupant of the room may say something.
                if !known.contains(line.body), names.contains(name.room == nil ? Self.bare(line.sender) : line.sender) {
                    find(line, "was never typed here, by \(line.sender)")
                }
            }
        }
        judgeOrder(in: name, label, members)
    }

    /// What one device has typed stands in that order everywhere; a room is the same for all.
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
        let order = (first.conversations[name] ?? []).map(\.body)
        for view in members.dropFirst() {
            let other = (view.conversations[name] ?? []).map(\.body)
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
