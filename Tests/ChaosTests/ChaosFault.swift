import ServerFixtures

@testable import ChaosClient

/// Something that goes wrong for a device or for the service.
struct ChaosFault: Sendable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case network(NetworkFault)
        // Of a device.
        /// SIGKILL, and a start.
        case kill
        /// SIGSTOP, and SIGCONT.
        case freeze
        /// It is killed and finds its disk full when it starts; is killed again when there is room.
        case diskFull
        /// Writing to large files fails for a while.
        case diskFails
        /// The clock jumps, and may stay there.
        case clock
        // Of the service.
        /// SIGKILL, and a start.
        case serverKill
        /// An orderly end, and a start.
        case serverStop
        /// SIGSTOP, and SIGCONT.
        case serverFreeze

        /// What the whole service suffers; a fault of it is many faults for the devices.
        static let server: [Kind] = [.serverKill, .serverKill, .serverStop, .serverFreeze]

        /// As the figures and `Scripts/chaos --without` call it.
        var name: String { if case .network(let fault) = self { fault.rawValue } else { "\(self)" } }

        var lane: Lane {
            switch self {
            case .kill, .freeze, .diskFull: .process
            case .diskFails: .disk
            case .clock: .clock
            case .serverKill, .serverStop, .serverFreeze: .server
            case .network: .network
            }
        }
    }

    /// Faults of one lane and one device come one after the other.
    enum Lane: Sendable, Hashable {
        case network, process, disk, clock, server
    }

    var kind: Kind
    /// Which device; for the service which node, at random.
    var victim: Int
    /// From the beginning of the typing.
    var start: Duration
    /// For what lasts.
    var duration: Duration
    /// For what comes after so many bytes, and other choices.
    var number: Int

    var description: String { "\(kind.name) of \(victim) at \(start) for \(duration) (\(number))" }

    /// - Parameter excluded: kinds that are left out, by name.
    init(using generator: inout SeededGenerator, without excluded: Set<String>, devices: Int, within time: Duration) {
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
        } while excluded.contains(kind.name)
        victim = Int.random(in: 0..<devices, using: &generator)
        start = .milliseconds(Int.random(in: 0..<Int(time / .milliseconds(1)), using: &generator))
        // Most are short; one in five is longer than the devices' patience with a silent connection.
        let isLong = Int.random(in: 0..<5, using: &generator) == 0
        duration = .milliseconds(Int.random(in: isLong ? 2500...6000 : 10...1000, using: &generator))
        number = Int.random(in: 1...20_000, using: &generator)
    }

    /// In the order of their beginning.
    ///
    /// - Parameter calm: the least time between two faults of the service. A fault that comes earlier strikes one device
    ///   instead: where all have hardly logged in when the service goes again, nothing is ever sent that could be lost.
    static func plan(
        seed: UInt64, count: Int, devices: Int, within time: Duration, calm: Duration,
        without excluded: Set<String> = []
    ) -> [ChaosFault] {
        var generator = SeededGenerator(seed: seed)
        var faults = (0..<count).map { _ in
            ChaosFault(using: &generator, without: excluded, devices: devices, within: time)
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

    /// Up to six hours to either side, and right every fourth time.
    var clockError: Int64 {
        number % 4 == 0 ? 0 : Int64(number - 10_000) * 2160
    }
}
