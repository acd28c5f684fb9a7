import Foundation
import ServerFixtures

@testable import ChaosClient

/// Users with two devices each chat with their neighbours and in a room while faults occur; then the stores of all
/// devices are compared with what was typed.
///
/// In an encrypted run each user has three devices, and a fourth that joins later.
struct ChaosRun: Sendable {
    struct Plan: Sendable {
        var seed: UInt64
        var people: Int
        /// The duration of typing.
        var time: Duration
        /// The approximate total number of messages.
        var messages: Int
        var faults: Int
        /// The names of excluded kinds of faults.
        var without: Set<String> = []
        var isEncrypted = false
        /// Those that run from the beginning.
        var devicesOfPerson: Int { isEncrypted ? 3 : 2 }
        /// When the devices that join later start.
        var timeOfLateDevices: Duration { time * 2 / 5 }
        /// The minimum time between two faults of the service: the time in which all devices reconnect.
        var calm: Duration { .seconds(people * people / 2) }

        var messagesOfDevice: Int { max(1, messages / (people * devicesOfPerson)) }
        /// The time between two messages of a device in milliseconds. Typing takes most of the duration.
        var pause: Int { max(3, Int(time / .milliseconds(1)) / messagesOfDevice * 8 / 10) }
    }

    struct Stuck: Error, CustomStringConvertible {
        var description: String
    }

    /// The maximum time without progress while there are no faults.
    private static let timeout = Duration.seconds(90)

    let plan: Plan
    let service: ChaosService
    let devices: [ChaosDevice]
    /// The devices that run from the beginning; only they suffer.
    private let established: [ChaosDevice]
    let room: String
    /// What happens while they type, besides the faults; typing continues until it returns.
    var whileTyping: @Sendable () async throws -> Void = {}

    init(_ plan: Plan, on service: ChaosService) async throws {
        self.plan = plan
        self.service = service
        let node = service.nodes[0]
        var accounts: [Account] = []
        for person in 0..<plan.people {
            accounts.append(try await node.newAccount(String(UnicodeScalar(UInt8(ascii: "a") + UInt8(person)))))
        }
        room = "orchard@\(node.conferenceDomain)"
        var devices: [ChaosDevice] = []
        for person in 0..<plan.people {
            // Each user chats with both neighbours.
            let peers = Set([(person + 1) % plan.people, (person + plan.people - 1) % plan.people]).sorted()
            for number in 1...plan.devicesOfPerson + (plan.isEncrypted ? 1 : 0) {
                devices.append(
                    try ChaosDevice(
                        person: person, number: number, accounts: accounts,
                        peers: peers.map { accounts[$0].address }, room: room, service: service, plan: plan))
            }
        }
        self.devices = devices
        established = devices.filter { !$0.isLate }
    }

    func run() async throws -> ChaosReport {
        let clock = ContinuousClock()
        try devices[0].program.start()
        try await wait(for: "the room") { devices[0].status.isInside }
        for device in established.dropFirst() { try device.program.start() }
        try await wait(for: "everybody in the room, and all contacts") { established.allSatisfy(isReady) }
        let start = clock.now
        for device in established { try device.order { $0.phase = .type } }
        let faults = ChaosFault.plan(
            seed: plan.seed, count: plan.faults, devices: established.count, within: plan.time, calm: plan.calm,
            without: plan.without, isEncrypted: plan.isEncrypted)
        async let meanwhile: Void = whileTyping()
        async let late: Void = startLateDevices()
        try await suffer(faults)
        try await meanwhile
        try await late
        for device in devices { try device.order { $0.clockError = 0 } }
        try await wait(for: "the typing to end") { devices.allSatisfy { $0.status.typed == $0.count } }
        for device in devices { try device.order { $0.phase = .drain } }
        var problems: [String] = []
        do {
            try await wait(for: "the queues to be empty") {
                devices.allSatisfy { $0.status.isOnline && $0.status.phase == .drain && $0.status.queued == 0 }
            }
        } catch let stuck as Stuck {
            problems.append(stuck.description)
        }
        for device in devices { try device.order { $0.phase = .settle } }
        let secrecy = plan.isEncrypted ? ChaosSecrecy(of: devices) : nil
        var (verdict, seen) = (ChaosVerdict(of: devices, room: room, secrecy), devices.map(\.status))
        var (settled, cost) = (clock.now, Duration.zero)
        // Missing messages may still arrive, until nothing arrives any more.
        while !(verdict.isGood && areQuiet), clock.now - settled < Self.timeout / 2 {
            try await Task.sleep(for: max(.milliseconds(500), cost * 3))
            let before = clock.now
            let next = ChaosVerdict(of: devices, room: room, secrecy)
            let statuses = devices.map(\.status)
            cost = clock.now - before
            if next != verdict || statuses != seen { settled = clock.now }
            (verdict, seen) = (next, statuses)
        }
        // With what was sent meanwhile.
        if plan.isEncrypted { verdict = ChaosVerdict(of: devices, room: room, ChaosSecrecy(of: devices)) }
        return ChaosReport(
            plan: plan, devices: devices, faults: faults, verdict: verdict, problems: problems, time: clock.now - start)
    }

    /// Copies the log, the ledger and the store of each device to a folder, to examine an error.
    func copyFiles(to folder: String) {
        let files = FileManager.default
        try? files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let stores = ["", "-wal"].map { ChaosFiles.store + $0 }
        for device in devices {
            for name in [ChaosFiles.log, ChaosFiles.ledger, ChaosFiles.dump] + stores {
                let copy = "\(folder)/\(device.name)-\(name)"
                try? files.removeItem(atPath: copy)
                try? files.copyItem(atPath: "\(device.program.folder)/\(name)", toPath: copy)
            }
        }
    }

    private func isReady(_ device: ChaosDevice) -> Bool {
        let status = device.status
        return status.isInside && status.hasContacts && (status.isAnnounced || !plan.isEncrypted)
    }

    /// Their users have exchanged messages before, which these devices must not be able to read.
    private func startLateDevices() async throws {
        let late = devices.filter(\.isLate)
        guard !late.isEmpty else { return }
        try await Task.sleep(for: plan.timeOfLateDevices)
        for device in late { try device.program.start() }
        try await wait(for: "the devices that join later") { late.allSatisfy(isReady) }
        for device in late { try device.order { $0.phase = .type } }
    }

    private var areQuiet: Bool {
        devices.allSatisfy {
            let status = $0.status
            return status.phase == .settle && status.isOnline && status.queued == 0 && status.gaps == 0
        }
    }

    // MARK: Faults

    private struct LaneName: Hashable {
        var lane: ChaosFault.Lane
        var victim: Int
    }

    /// Each fault at its time, those of one lane sequentially.
    private func suffer(_ faults: [ChaosFault]) async throws {
        let lanes = Dictionary(grouping: faults) {
            LaneName(lane: $0.kind.lane, victim: $0.kind.lane == .server ? 0 : $0.victim)
        }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes.values {
                group.addTask {
                    for fault in lane {
                        try await Task.sleep(until: start + fault.start)
                        if fault.kind.lane == .server {
                            try await sufferTogether(fault)
                        } else {
                            try await established[fault.victim].suffer(fault)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func sufferTogether(_ fault: ChaosFault) async throws {
        let number = fault.victim % service.nodes.count
        let node = service.nodes[number]
        switch fault.kind {
        case .serverFreeze: node.freeze()
        case .serverStop: await node.stop()
        default: await node.kill()
        }
        // The address of the service may change to the other node for new connections.
        if service.nodes.count > 1, fault.number % 4 != 0 {
            for device in devices where device.node == number { device.move(to: 1 - number, of: service) }
        }
        try await Task.sleep(for: fault.duration)
        if fault.kind == .serverFreeze { node.thaw() } else { try await service.start(number) }
    }

    // MARK: Waiting

    private func wait(for what: String, until condition: () -> Bool) async throws {
        var seen = devices.map(\.status)
        var progress = ContinuousClock.now
        while !condition() {
            let now = devices.map(\.status)
            if now != seen { (seen, progress) = (now, .now) }
            guard ContinuousClock.now - progress < Self.timeout else {
                let lines = devices.map { device in
                    "\(device.name): \(device.status)\n\(device.log.suffix(1500))\n\(device.program.output.suffix(500))"
                }
                throw Stuck(description: "Waited in vain for \(what).\n\(lines.joined(separator: "\n"))")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
