import Foundation

/// The cost of an operation: wall clock and processor time.
///
/// Under other load the first varies; the second is nearly the same each time.
struct Cost {
    var wall = 0.0
    var processor = 0.0

    static func += (left: inout Cost, right: Cost) {
        left.wall += right.wall
        left.processor += right.processor
    }

    static func / (cost: Cost, count: Int) -> Cost {
        Cost(wall: cost.wall / Double(count), processor: cost.processor / Double(count))
    }
}

/// Wall clock in seconds.
func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Individually measured costs.
struct Costs {
    private var all: [Cost] = []

    mutating func measure(_ work: () async throws -> Void) async rethrows {
        let wall = seconds(CLOCK_MONOTONIC)
        let processor = processorTime()
        try await work()
        all.append(Cost(wall: seconds(CLOCK_MONOTONIC) - wall, processor: processorTime() - processor))
    }

    var sum: Cost { all.reduce(into: Cost()) { $0 += $1 } }

    var median: Cost? {
        guard !all.isEmpty else { return nil }
        return Cost(
            wall: all.map(\.wall).sorted()[all.count / 2], processor: all.map(\.processor).sorted()[all.count / 2])
    }
}
