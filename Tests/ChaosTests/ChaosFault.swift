import ServerFixtures

@testable import ChaosClient

/// A fault of a device or of the service.
struct ChaosFault: Sendable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case network(NetworkFault)
        // Of a device.
        /// SIGKILL, and a start.
        case kill
        /// SIGSTOP, and SIGCONT.
        case freeze
        /// It is killed and starts with a full disk; is killed again when there is space.
        case diskFull
        /// Writing to large files fails for a while.
        case diskFails
        /// The clock jumps, and may stay there.
        case clock
        /// An old copy of the store takes the place of the present one, without the identity key.
        case restore
        /// Another program of the user replaces the account's device lists.
        case replacedLists
        // Of the service.
        /// SIGKILL, and a start.
        case serverKill
        /// An orderly end, and a start.
        case serverStop
        /// SIGSTOP, and SIGCONT.
        case serverFreeze

        /// Faults of the whole service; each is many faults for the devices.
        static let server: [Kind] = [.serverKill, .serverKill, .serverStop, .serverFreeze]
        /// Faults of encrypted runs; without encryption they have no effect, or lose what was typed.
        static let ofEncryption: [Kind] = [.restore, .replacedLists]

        /// The name in the figures and for `Scripts/chaos --without`.
        var name: String { if case .network(let fault) = self { fault.rawValue } else { "\(self)" } }

        var lane: Lane {
            switch self {
            case .kill, .freeze, .diskFull, .restore: .process
            case .diskFails: .disk
            case .clock: .clock
            case .replacedLists: .lists
            case .serverKill, .serverStop, .serverFreeze: .server
            case .network: .network
            }
        }
    }

    /// Faults of one lane and one device are sequential.
    enum Lane: Sendable, Hashable {
        case network, process, disk, clock, lists, server
    }

    var kind: Kind
    /// The device; for the service the node, at random.
    var victim: Int
    /// The time since the start of the typing.
    var start: Duration
    /// The duration of lasting faults.
    var duration: Duration
    /// The number of bytes after which other faults occur, and for random choices.
    var number: Int

    var description: String { "\(kind.name) of \(victim) at \(start) for \(duration) (\(number))" }

    /// - Parameter excluded: the names of excluded kinds.
    init(
        using generator: inout SeededGenerator, without excluded: Set<String>, isEncrypted: Bool, devices: Int,
        within time: Duration
    ) {
        repeat {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<45:
                kind = .network(
                    NetworkFault.allCases[Int.random(in: 0..<NetworkFault.allCases.count, using: &generator)])
            case 45..<65: kind = .kill
            case 65..<70: kind = .freeze
            case 70..<75: kind = .diskFull
            case 75..<82: kind = .diskFails
            case 82..<92: kind = .clock
            default: kind = Kind.server[Int.random(in: 0..<Kind.server.count, using: &generator)]
            }
            if isEncrypted, Int.random(in: 0..<6, using: &generator) == 0 {
                kind = Kind.ofEncryption[Int.random(in: 0..<Kind.ofEncryption.count, using: &generator)]
            }
        } while excluded.contains(kind.name)
        victim = Int.random(in: 0..<devices, using: &generator)
        start = .milliseconds(Int.random(in: 0..<Int(time / .milliseconds(1)), using: &generator))
        // Most are short; one in five is longer than the keep-alive timeout of the devices.
        let isLong = Int.random(in: 0..<5, using: &generator) == 0
        duration = .milliseconds(Int.random(in: isLong ? 2500...6000 : 10...1000, using: &generator))
        number = Int.random(in: 1...20_000, using: &generator)
    }

    /// In the order of their start.
    ///
    /// - Parameter calm: the minimum time between two faults of the service. An earlier fault affects one device
    ///   instead: if the service fails when the devices have hardly logged in, nothing is ever sent that could be lost.
    static func plan(
        seed: UInt64, count: Int, devices: Int, within time: Duration, calm: Duration,
        without excluded: Set<String> = [], isEncrypted: Bool = false
    ) -> [ChaosFault] {
        var generator = SeededGenerator(seed: seed)
        var faults = (0..<count).map { _ in
            ChaosFault(
                using: &generator, without: excluded, isEncrypted: isEncrypted, devices: devices, within: time)
        }.sorted { $0.start < $1.start }
        var last: Duration?
        for index in faults.indices where faults[index].kind.lane == .server {
            if let last, faults[index].start - last < calm {
                faults[index].kind = excluded.contains(Kind.kill.name) ? .network(.reset) : .kill
            } else {
                last = faults[index].start
            }
        }
        return faults
    }

    /// Up to six hours in either direction, and correct every fourth time.
    var clockError: Int64 {
        number % 4 == 0 ? 0 : Int64(number - 10_000) * 2160
    }
}
