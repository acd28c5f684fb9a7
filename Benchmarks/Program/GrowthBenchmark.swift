import GroupChat
import MessageHistory
import Roster
import ServiceDiscovery
import XMPPAddress
import XMPPClient

/// What grows: the cost of one more should be that of the first ones.
enum GrowthKind: String, CaseIterable {
    /// The contact list is fetched.
    case contacts
    /// A room with so many people is entered.
    case occupants
    /// An archive of so many messages is read, in pages of a hundred.
    case archive
    /// So many messages are sent while the server acknowledges none, then all at once.
    case unacknowledged
    /// A store is filled with so many messages, and closed.
    case stored
}

/// Measures the processor time of one of `count`, at `growth_server.py` or in a new store in `folder`.
func measureGrowth(_ kind: GrowthKind, port: UInt16, count: Int, folder: String) async throws {
    let used: Double
    switch kind {
    case .contacts: used = try await fetchContacts(port, count)
    case .occupants: used = try await enterRoom(port, count)
    case .archive: used = try await readArchive(port, count)
    case .unacknowledged: used = try await sendUnacknowledged(port, count)
    case .stored:
        let start = usedTime()
        try await insertMessages(count, in: folder)
        used = usedTime() - start
    }
    print("\(kind.rawValue) \(used / Double(max(count, 1)) * 1e6) us/unit units=\(count)")
}

/// The difference between what was done and what should have been.
private struct WrongCount: Error {
    let found: Int
}

private func check(_ found: Int, _ expected: Int) throws {
    if found != expected { throw WrongCount(found: found) }
}

/// The settings of an account whose resource tells the server how much of what it has.
private func settings(_ kind: GrowthKind, _ port: UInt16, _ count: Int) throws -> ClientConfiguration {
    var settings = try BenchmarkServer(port: port, authority: nil).configuration(
        "juliet@capulet.example/\(kind.rawValue)-\(count)")
    settings.startTimeout = .seconds(120)
    settings.requestTimeout = .seconds(120)
    settings.add { ServiceDiscovery($0) }
    return settings
}

private func fetchContacts(_ port: UInt16, _ count: Int) async throws -> Double {
    var settings = try settings(.contacts, port, count)
    settings.add { Roster($0) }
    return try await Client(settings).run { session in
        guard let roster = session[Roster.self] else { return 0 }
        let start = usedTime()
        try await roster.fetch()
        let used = usedTime() - start
        try check(await roster.allItems.count, count)
        return used
    }
}

private func enterRoom(_ port: UInt16, _ count: Int) async throws -> Double {
    var settings = try settings(.occupants, port, count)
    settings.add { GroupChat($0) }
    return try await Client(settings).run { session in
        guard let rooms = session[GroupChat.self] else { return 0 }
        let start = usedTime()
        let room = try await rooms.enter(try JID("people@rooms.capulet.example"), nickname: "me")
        let used = usedTime() - start
        // More are not stored; of them, only that they are there is known.
        try check(await room.occupants.count, min(count, 16_384) + 1)
        return used
    }
}

private func readArchive(_ port: UInt16, _ count: Int) async throws -> Double {
    var settings = try settings(.archive, port, count)
    settings.add { MessageArchive($0) }
    return try await Client(settings).run { session in
        guard let archive = session[MessageArchive.self] else { return 0 }
        let start = usedTime()
        var found = 0
        for try await page in archive.pages(from: .oldest(100)) { found += page.messages.count }
        let used = usedTime() - start
        try check(found, count)
        return used
    }
}

private func sendUnacknowledged(_ port: UInt16, _ count: Int) async throws -> Double {
    var settings = try settings(.unacknowledged, port, count)
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
