internal import JSONRPC

/// How often which latency occurred, with a relative error below one percent and constant memory: buckets whose width
/// doubles with the value, each divided into 128 (a high dynamic range histogram).
struct LatencyHistogram: Sendable, Equatable {
    /// One hour, in microseconds; longer values count as this one.
    static let maximum = 3_600_000_000
    private static let precisionBits = 7
    private static let subdivisions = 1 << precisionBits

    private(set) var count = 0
    private(set) var longest = 0
    private var sum = 0
    private var buckets: [Int: Int] = [:]

    /// - Parameter microseconds: a negative value, which a clock should not cause, counts as zero.
    mutating func record(_ microseconds: Int) {
        let value = min(max(microseconds, 0), Self.maximum)
        buckets[Self.bucket(of: value), default: 0] += 1
        count += 1
        sum += value
        longest = max(longest, value)
    }

    mutating func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        record(Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000))
    }

    mutating func add(_ other: LatencyHistogram) {
        buckets.merge(other.buckets) { $0 + $1 }
        count += other.count
        sum += other.sum
        longest = max(longest, other.longest)
    }

    var mean: Int { count == 0 ? 0 : sum / count }

    /// The value that this share of all values does not exceed, in microseconds: the end of its bucket.
    ///
    /// - Parameter share: 0 to 1.
    func value(at share: Double) -> Int {
        guard count > 0 else { return 0 }
        let wanted = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (bucket, number) in buckets.sorted(by: { $0.key < $1.key }) {
            seen += number
            if seen >= wanted { return min(Self.end(of: bucket), longest) }
        }
        return longest
    }

    // MARK: Buckets

    private static func bucket(of value: Int) -> Int {
        guard value >= subdivisions else { return value }
        let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount - precisionBits
        return exponent * subdivisions + value >> exponent
    }

    /// The largest value in a bucket.
    private static func end(of bucket: Int) -> Int {
        guard bucket >= subdivisions else { return bucket }
        let exponent = bucket / subdivisions - 1
        return (bucket - exponent * subdivisions + 1) << exponent - 1
    }

    // MARK: JSON

    /// The shares that reports show.
    static let shares: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999),
    ]

    var json: JSONValue {
        var members: [(String, JSONValue)] = [("count", .integer(count)), ("mean", .integer(mean))]
        for share in Self.shares { members.append((share.name, .integer(value(at: share.share)))) }
        let numbers = buckets.sorted { $0.key < $1.key }.flatMap {
            [JSONValue.integer($0.key), JSONValue.integer($0.value)]
        }
        members += [("max", .integer(longest)), ("sum", .integer(sum)), ("buckets", .array(numbers))]
        return JSONValue(members)
    }

    /// Reads ``json``; `nil` if it is something else.
    init?(_ json: JSONValue) {
        guard let count = json["count"]?.integer, let longest = json["max"]?.integer, let sum = json["sum"]?.integer,
            let numbers = json["buckets"]?.array?.compactMap(\.integer), numbers.count.isMultiple(of: 2)
        else { return nil }
        (self.count, self.longest, self.sum) = (count, longest, sum)
        var total = 0
        for index in stride(from: 0, to: numbers.count, by: 2) {
            let (bucket, number) = (numbers[index], numbers[index + 1])
            guard bucket >= 0, bucket <= Self.bucket(of: Self.maximum), number > 0, number <= count else { return nil }
            buckets[bucket] = number
            total += number
        }
        guard total == count, longest >= 0, longest <= Self.maximum else { return nil }
    }

    init() {}
}
