import ChatEngine
import ChatStore
import Foundation
import Glibc
import Synchronization
import XMPPAddress
import XMPPClient

/// Executes the instructions of a device and reports its status.
final class DeviceSupervisor: Sendable {
    let device: Device
    let account: ChatAccount
    let store: SQLiteStore
    let id: AccountID
    /// Whether the store has changed since it was last dumped.
    private let isChanged = Mutex(true)

    private let hasFounded = Mutex(false)

    private static let interval = Duration.milliseconds(100)

    init(device: Device, account: ChatAccount, store: SQLiteStore, id: AccountID) {
        self.device = device
        self.account = account
        self.store = store
        self.id = id
    }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in store.changes() { isChanged.withLock { $0 = true } }
            }
            group.addTask { await self.follow() }
            group.addTask { await self.visitRooms() }
        }
    }

    private func follow() async {
        var told = ChaosStatus()
        var orders = ChaosOrders()
        var settling = false
        var nextDump = ContinuousClock.now
        while true {
            let new = device.orders
            device.clock.shift(to: new.clockError)
            if new.fileSizeLimit != orders.fileSizeLimit { Self.limitFiles(to: new.fileSizeLimit) }
            if new.replacedLists > orders.replacedLists {
                Task { await device.replaceLists(keepingOne: new.replacedLists % 2 == 0) }
            }
            orders = new
            if orders.phase == .prepare { await prepare() }
            if orders.phase == .settle, !settling {
                settling = true
                device.log.say("settling")
                // A new session follows, which queries the archives again.
                await account.close()
            }
            if let status = try? await status(orders.phase, after: told), status != told {
                try? ChaosFiles.write(status, ChaosFiles.status, in: device.folder)
                told = status
            }
            if orders.phase == .settle, ContinuousClock.now >= nextDump,
                isChanged.withLock({ changed in
                    defer { changed = false }; return changed
                })
            {
                let start = ContinuousClock.now
                try? await TimelineDump.write(store, in: device.folder)
                // A long history takes long to dump; the program has other work meanwhile.
                nextDump = .now + (.now - start) * 10
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Joins the rooms of the instructions again whenever it was kicked.
    private func visitRooms() async {
        while !Task.isCancelled {
            let orders = device.orders
            for room in orders.otherRooms.compactMap({ try? JID($0) }) where orders.phase == .type {
                guard await account.connectionState.isOnline, await !account.rooms.state(of: room).isInside else {
                    continue
                }
                do {
                    try await account.rooms.enter(room, nickname: device.settings.nickname)
                } catch {
                    device.log.say("not in \(room): \(error)")
                }
            }
            try? await Task.sleep(for: Self.interval * 5)
        }
    }

    private static func limitFiles(to size: UInt64?) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = size.map { rlim_t($0) } ?? limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    /// Joins the room, and sends presence to the peers.
    private func prepare() async {
        guard await account.connectionState.isOnline else { return }
        if await !account.rooms.state(of: device.room).isInside {
            do {
                if isFounder {
                    try await found()
                } else {
                    try await account.rooms.enter(device.room, nickname: device.settings.nickname)
                }
            } catch {
                device.log.say("not in the room: \(error)")
            }
        }
        guard device.settings.isFirst else { return }
        do {
            for request in await account.contacts.requests {
                try await account.contacts.acceptRequest(of: request.address)
            }
            let known = try await contacts()
            // Only one of the two sends a request, because a cluster may lose one of two crossing requests.
            for peer in device.peers
            where account.address < peer && !known.contains(where: { $0.address == peer && $0.subscription != .none }) {
                device.log.say("contact \(peer): \(try await account.contacts.add(peer))")
            }
        } catch {
            device.log.say("no contact: \(error)")
        }
    }

    private var isFounder: Bool {
        device.settings.isFirst && device.settings.members.first == account.address.description
    }

    /// Creates the room of an encrypted run for its members.
    private func found() async throws {
        let (settings, room) = (device.settings, device.room)
        try await account.rooms.create(
            room, nickname: settings.nickname, settings: RoomSettings(access: .membersOnly))
        for member in settings.members.dropFirst() {
            try await account.rooms.setMember(true, try JID(member), in: room)
        }
        hasFounded.withLock { $0 = true }
    }

    private func contacts() async throws -> [StoredContact] {
        let id = id
        return try await store.read { reader throws(StoreError) in try reader.contacts(of: id) }
    }

    private func status(_ phase: ChaosOrders.Phase, after last: ChaosStatus) async throws -> ChaosStatus {
        let (id, own, room) = (id, account.address, device.room)
        var status = ChaosStatus(phase: phase)
        status.isOnline = await account.connectionState.isOnline
        status.isInside = await account.rooms.state(of: room).isInside
        if status.phase == .prepare, isFounder { status.isInside = hasFounded.withLock { $0 } }
        status.isAnnounced = account.encryption?.isAnnounced ?? false
        status.deviceID = account.encryption?.device
        status.typed = device.ledger.lastNumber
        status.hasContacts = last.hasContacts
        if !status.hasContacts {
            let contacts = try await contacts()
            status.hasContacts = device.peers.allSatisfy { peer in
                contacts.contains { $0.address == peer && $0.subscription == .both }
            }
        }
        (status.queued, status.gaps) = try await store.read { reader throws(StoreError) in
            var gaps = 0
            for archive in [own, room] { gaps += try reader.archiveGaps(of: archive, with: nil, account: id).count }
            return (try reader.sendQueue(of: id).count, gaps)
        }
        return status
    }
}
