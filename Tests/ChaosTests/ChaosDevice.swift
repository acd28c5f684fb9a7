import Foundation
import ServerFixtures
import Synchronization

@testable import ChaosClient

/// One device of a user in a run: its process, its network and its files.
final class ChaosDevice: Sendable {
    let name: String
    let person: Int
    let address: String
    let program: PrivateProgram
    let proxy: FaultProxy
    /// The number of messages that it types.
    let count: Int
    /// Starts during the run, after its user's other devices have sent and received messages.
    let isLate: Bool
    private let restored = Mutex(false)
    private let orders = Mutex(ChaosOrders())
    /// The node to which the proxy connects.
    private let place: Mutex<Int>

    init(
        person: Int, number: Int, accounts: [Account], peers: [String], room: String, service: ChaosService,
        plan: ChaosRun.Plan
    ) throws {
        let account = accounts[person]
        isLate = number > plan.devicesOfPerson
        count = isLate ? max(1, plan.messagesOfDevice / 2) : plan.messagesOfDevice
        let letter = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(person)))
        name = "\(letter)\(number)"
        self.person = person
        address = account.address
        program = try PrivateProgram("ChaosClient")
        let node = (person + number) % service.nodes.count
        place = Mutex(node)
        proxy = try FaultProxy(to: service.nodes[node].port)
        let settings = ChaosSettings(
            address: account.address, password: account.password, host: "127.0.0.1", port: proxy.port,
            authorityFile: service.nodes[0].authorityFile, device: name, peers: peers, room: room, nickname: letter,
            isFirst: number == 1, members: plan.isEncrypted ? accounts.map(\.address) : [], count: count,
            pause: plan.pause,

            seed: plan.seed &* 1_000_003 &+ UInt64(person * 2 + number) &* 7919)
        try ChaosFiles.write(settings, ChaosFiles.settings, in: program.folder)
        try ChaosFiles.write(ChaosOrders(), ChaosFiles.orders, in: program.folder)
    }

    var status: ChaosStatus {
        ChaosFiles.read(ChaosStatus.self, ChaosFiles.status, in: program.folder) ?? ChaosStatus()
    }
    var ledger: [Ledger.Entry] { Ledger.entries(in: program.folder) }
    var dump: [TimelineDump] { TimelineDump.read(in: program.folder) }
    var log: String { (try? String(contentsOfFile: "\(program.folder)/\(ChaosFiles.log)", encoding: .utf8)) ?? "" }

    /// The last lines of the log, the first of which may be incomplete.
    var endOfLog: String {
        guard let file = FileHandle(forReadingAtPath: "\(program.folder)/\(ChaosFiles.log)"),
            let end = try? file.seekToEnd(), (try? file.seek(toOffset: end > 20_000 ? end - 20_000 : 0)) != nil,
            let bytes = try? file.readToEnd()
        else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    func order(_ change: (inout ChaosOrders) -> Void) throws {
        let new = orders.withLock { orders in
            change(&orders)
            return orders
        }
        try ChaosFiles.write(new, ChaosFiles.orders, in: program.folder)
    }

    var node: Int { place.withLock { $0 } }

    /// Connects the device to another node the next time.
    func move(to node: Int, of service: ChaosService) {
        place.withLock { $0 = node }
        proxy.forward(to: service.nodes[node].port)
    }

    // MARK: Faults

    /// Causes the fault and returns when it is over.
    func suffer(_ fault: ChaosFault) async throws {
        switch fault.kind {
        case .network(let kind): try await kind.happen(to: proxy, for: fault.duration, number: fault.number)
        case .kill:
            program.kill()
            if fault.number % 2 == 0 { try await Task.sleep(for: fault.duration) }
            try program.start()
        case .freeze:
            program.freeze()
            try await Task.sleep(for: fault.duration)
            program.thaw()
        case .diskFull:
            try await restart { $0.isStoreFull = true }
            try await Task.sleep(for: fault.duration + .seconds(1))
            try await restart { $0.isStoreFull = false }
        case .diskFails:
            try order { $0.fileSizeLimit = UInt64(fault.number) * 20 }
            try await Task.sleep(for: fault.duration)
            try order { $0.fileSizeLimit = nil }
        case .clock: try order { $0.clockError = fault.clockError }
        case .restore: try await restore(after: fault.duration + .seconds(2))
        case .replacedLists: try order { $0.replacedLists += 1 }
        case .serverKill, .serverStop, .serverFreeze: break
        }
    }

    /// Whether an old copy of its store has taken the place of the present one.
    var wasRestored: Bool { restored.withLock { $0 } }

    /// Copies the store, and brings the copy back later.
    private func restore(after time: Duration) async throws {
        program.kill()
        let old = program.folder + "/old"
        try? FileManager.default.removeItem(atPath: old)
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        let typed = ledger.last?.number ?? 0
        try copyStore(from: program.folder, to: old)
        try program.start()
        try await Task.sleep(for: time)
        program.kill()
        restored.withLock { $0 = true }
        try Ledger.noteRestored(to: typed, in: program.folder)
        try copyStore(from: old, to: program.folder)
        try program.start()
    }

    /// Of a process that does not run: the file and its log.
    private func copyStore(from folder: String, to other: String) throws {
        let files = FileManager.default
        for name in ["", "-wal", "-shm"].map({ ChaosFiles.store + $0 }) {
            try? files.removeItem(atPath: "\(other)/\(name)")
            if files.fileExists(atPath: "\(folder)/\(name)") {
                try files.copyItem(atPath: "\(folder)/\(name)", toPath: "\(other)/\(name)")
            }
        }
    }

    private func restart(_ change: (inout ChaosOrders) -> Void) async throws {
        program.kill()
        try order(change)
        try program.start()
    }
}
