import GroupChat
import MessageHistory
import Roster
import ServiceDiscovery
import XMPPAddress
import XMPPClient

/// What grows: the cost of one more should be that of the first ones.
enum GrowthKind: String {
    /// The contact list is fetched, once more.
    case contacts
    /// A room with so many people is entered.
    case occupants
    /// An archive of so many messages is read, in pages of a hundred.
    case archive
    /// So many messages are sent before the server acknowledges them, all at once.
    case unacknowledged
    /// A store is filled with so many messages, and closed.
    case stored
}

/// Something else was found than there is.
private struct WrongCount: Error {
    let found: Int?
}

/// Measures the processor time of one of `count`, at `growth_server.py` or in a new store in `folder`.
func measureGrowth(_ kind: GrowthKind, port: UInt16, count: Int, folder: String) async throws {
    var used = 0.0
    let growth = Growth(kind: kind, port: port, count: count)
    switch kind {
    case .contacts:
        used = try await growth.measure(with: { Roster($0) }) {
            try await $0.fetch()
        } counted: { roster, _ in
            await roster.allItems.count == count
        }
    case .occupants:
        used = try await growth.measure(with: { GroupChat($0) }) {
            try await $0.enter(try JID("people@rooms.capulet.example"), nickname: "me")
        } counted: { _, room in
            // Besides the own one, a room stores the first 16,384.
            await room.occupants.count == min(count, 16_384) + 1
        }
    case .archive:
        used = try await growth.measure(with: { MessageArchive($0) }) {
            var found = 0
            for try await page in $0.pages(from: .oldest(100)) { found += page.messages.count }
            return found
        } counted: { _, found in
            found == count
        }
    case .unacknowledged: used = try await sendUnacknowledged(try growth.settings(), count)
    case .stored:
        let start = usedTime()
        try await insertMessages(count, in: folder)
        used = usedTime() - start
    }
    print("\(kind.rawValue) \(used / Double(max(count, 1)) * 1e6) us/unit units=\(count)")
}

private struct Growth {
    let kind: GrowthKind
    let port: UInt16
    let count: Int

    /// The settings of an account whose resource tells the server how much of what it has.
    func settings() throws -> ClientConfiguration {
        var settings = try BenchmarkServer(port: port, authority: nil).configuration(
            "juliet@capulet.example/\(kind.rawValue)-\(count)")
        settings.startTimeout = .seconds(120)
        settings.requestTimeout = .seconds(120)
        settings.add { ServiceDiscovery($0) }
        return settings
    }

    /// Measures what an extension does, and checks its result afterwards.
    func measure<Extension: SessionExtension, Result>(
        with make: @escaping @Sendable (Session) -> Extension, _ work: (Extension) async throws -> Result,
        counted: (Extension, Result) async -> Bool
    ) async throws -> Double {
        var settings = try settings()
        settings.add { make($0) }
        return try await Client(settings).run { session in
            guard let instance = session[Extension.self] else { throw WrongCount(found: nil) }
            let start = usedTime()
            let result = try await work(instance)
            let used = usedTime() - start
            guard await counted(instance, result) else { throw WrongCount(found: result as? Int) }
            return used
        }
    }
}

private func sendUnacknowledged(_ settings: ClientConfiguration, _ count: Int) async throws -> Double {
    var settings = settings
    settings.usesStreamManagement = true
    return try await Client(settings).run { session in
        let receiver = try JID("romeo@montague.example/orchard")
        let start = usedTime()
        var last: SendToken?
        for number in 0..<count {
            last = try await session.send(.chat(to: receiver, body: "message number \(number)"))
        }
        try await last?.reached(.acknowledged)
        return usedTime() - start
    }
}
