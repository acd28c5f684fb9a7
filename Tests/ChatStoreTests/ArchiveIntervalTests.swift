import Testing

@testable import ChatStore

@Suite("Archive intervals")
struct ArchiveIntervalTests {
    private static func place(_ number: Int) -> StoredArchivePosition {
        StoredArchivePosition(id: "\(number)", time: .at(Int64(number)))
    }

    /// Items by number, which is also their time.
    private static func insert(
        _ range: Range<Int>, _ query: StoredArchiveQuery, isComplete: Bool = false,
        into intervals: inout ArchiveIntervals
    ) {
        let known = intervals
        func bound(_ id: String?) -> StoredArchivePosition? { id.flatMap { known.bound($0) } }
        intervals.insert(
            range.map(place), of: query, isComplete: isComplete, anchor: bound(query.anchor), limit: bound(query.limit))
    }

    private static func ends(_ intervals: ArchiveIntervals) -> [String] {
        intervals.intervals.map { "\($0.reachesStart ? "|" : "")\($0.first.id)-\($0.last.id)" }
    }

    @Test("adjacent pages become one interval")
    func paging() {
        var intervals = ArchiveIntervals()
        Self.insert(90..<100, StoredArchiveQuery(.backward), into: &intervals)
        #expect(Self.ends(intervals) == ["90-99"])
        #expect(intervals.gaps == [ArchiveGap(after: nil, before: Self.place(90))])
        Self.insert(80..<90, StoredArchiveQuery(.backward, anchor: "90"), into: &intervals)
        #expect(Self.ends(intervals) == ["80-99"])
        Self.insert(0..<80, StoredArchiveQuery(.backward, anchor: "80"), isComplete: true, into: &intervals)
        #expect(Self.ends(intervals) == ["|0-99"])
        #expect(intervals.gaps.isEmpty)
        Self.insert(100..<110, StoredArchiveQuery(.forward, anchor: "99"), isComplete: true, into: &intervals)
        #expect(Self.ends(intervals) == ["|0-109"])
    }

    @Test("an archive that had no items: what it has later was missed, until it is read from its start")
    func emptyArchive() {
        var intervals = ArchiveIntervals()
        Self.insert(0..<0, StoredArchiveQuery(.backward), isComplete: true, into: &intervals)
        #expect(intervals.intervals == [.empty] && intervals.gaps.isEmpty)
        // A page of a conversation or of a time says nothing of the start.
        var other = ArchiveIntervals()
        Self.insert(0..<0, StoredArchiveQuery(.backward, isLimitedByTime: true), isComplete: true, into: &other)
        Self.insert(0..<0, StoredArchiveQuery(.backward), isComplete: false, into: &other)
        #expect(other.intervals.isEmpty)

        Self.insert(90..<100, StoredArchiveQuery(.backward), into: &intervals)
        #expect(intervals.gaps == [ArchiveGap(after: nil, before: Self.place(90), followsEmpty: true)])
        var forward = intervals
        Self.insert(0..<30, StoredArchiveQuery(.forward, limit: "90"), into: &forward)
        #expect(Self.ends(forward) == ["|0-29", "90-99"])
        #expect(forward.gaps == [ArchiveGap(after: Self.place(29), before: Self.place(90))])
        Self.insert(0..<90, StoredArchiveQuery(.backward, anchor: "90"), isComplete: true, into: &intervals)
        #expect(Self.ends(intervals) == ["|0-99"])
        #expect(intervals.gaps.isEmpty)
        // An archive that was emptied later: what is stored stays.
        Self.insert(0..<0, StoredArchiveQuery(.backward), isComplete: true, into: &intervals)
        #expect(Self.ends(intervals) == ["|0-99"])
    }

    @Test("a gap after an absence is known, and closed from both ends")
    func gap() {
        var intervals = ArchiveIntervals()
        Self.insert(0..<10, StoredArchiveQuery(.forward), isComplete: true, into: &intervals)
        Self.insert(50..<60, StoredArchiveQuery(.backward), into: &intervals)
        #expect(Self.ends(intervals) == ["|0-9", "50-59"])
        #expect(intervals.gaps == [ArchiveGap(after: Self.place(9), before: Self.place(50))])
        Self.insert(40..<50, StoredArchiveQuery(.backward, anchor: "50", limit: "9"), into: &intervals)
        #expect(Self.ends(intervals) == ["|0-9", "40-59"])
        Self.insert(10..<20, StoredArchiveQuery(.forward, anchor: "9", limit: "40"), into: &intervals)
        #expect(Self.ends(intervals) == ["|0-19", "40-59"])
        Self.insert(
            20..<40, StoredArchiveQuery(.backward, anchor: "40", limit: "19"), isComplete: true, into: &intervals)
        #expect(Self.ends(intervals) == ["|0-59"])
    }

    @Test("an empty complete page closes a gap")
    func emptyGap() {
        var intervals = ArchiveIntervals()
        Self.insert(0..<10, StoredArchiveQuery(.forward), into: &intervals)
        Self.insert(50..<60, StoredArchiveQuery(.backward), into: &intervals)
        Self.insert(0..<0, StoredArchiveQuery(.backward, anchor: "50", limit: "9"), isComplete: true, into: &intervals)
        #expect(Self.ends(intervals) == ["|0-59"])
    }

    @Test("overlapping pages are joined; pages of one second are not without a common item")
    func overlap() {
        var intervals = ArchiveIntervals()
        Self.insert(0..<10, StoredArchiveQuery(.backward), into: &intervals)
        Self.insert(5..<15, StoredArchiveQuery(.backward), into: &intervals)
        #expect(Self.ends(intervals) == ["0-14"])
        let second = [
            StoredArchivePosition(id: "x", time: .at(14), rank: 1), StoredArchivePosition(id: "y", time: .at(15)),
        ]
        intervals.insert(second, of: StoredArchiveQuery(.backward), isComplete: false, anchor: nil, limit: nil)
        #expect(Self.ends(intervals) == ["0-14", "x-y"])
    }

    @Test("a page of a query that was limited by time proves nothing outside of it")
    func narrowed() {
        var intervals = ArchiveIntervals()
        Self.insert(5..<8, StoredArchiveQuery(.forward, isLimitedByTime: true), isComplete: true, into: &intervals)
        Self.insert(1..<3, StoredArchiveQuery(.backward, isLimitedByTime: true), isComplete: true, into: &intervals)
        #expect(Self.ends(intervals) == ["1-2", "5-7"])
    }

    @Test("pages in any order prove the same interval, and never too much")
    func randomOrder() {
        for seed in 0..<300 {
            var random = SeededRandom(seed: UInt64(seed))
            let count = Int.random(in: 1...40, using: &random)
            var intervals = ArchiveIntervals()
            var proved = Set<Int>()
            for _ in 0..<12 {
                let start = Int.random(in: 0..<count, using: &random)
                let end = Int.random(in: start...count, using: &random)
                Self.insert(
                    start..<end, StoredArchiveQuery(.backward, isLimitedByTime: true), into: &intervals)
                proved.formUnion(start..<end)
            }
            var covered = Set<Int>()
            for interval in intervals.intervals {
                if let first = Int(interval.first.id), let last = Int(interval.last.id) {
                    covered.formUnion(first...last)
                }
            }
            #expect(covered == proved)
            for (left, right) in zip(intervals.intervals, intervals.intervals.dropFirst()) {
                #expect(left.last.isBefore(right.first))
            }
        }
    }
}

@Suite("Order within a second")
struct RankAssignmentTests {
    private func ranks(
        _ times: [Int64], known: [Int64?]? = nil, lower: (Int64, Int64)? = nil, upper: (Int64, Int64)? = nil
    ) -> [Int64] {
        RankAssignment.ranks(
            for: times.map { .at($0) }, known: known ?? times.map { _ in nil },
            lower: lower.map { .init(time: .at($0.0), rank: $0.1) },
            upper: upper.map { .init(time: .at($0.0), rank: $0.1) })
    }

    @Test("items of the same time ascend; others need no rank")
    func ascending() {
        let step = RankAssignment.step
        #expect(ranks([1, 2, 2, 2, 3]) == [0, 0, step, 2 * step, 0])
    }

    @Test("a page continues the second that the adjacent page began")
    func neighbours() {
        let step = RankAssignment.step
        #expect(ranks([1, 1, 2], lower: (1, 5)) == [5 + step, 5 + 2 * step, 0])
        #expect(ranks([0, 1, 1], upper: (1, 5)) == [0, 5 - 2 * step, 5 - step])
        #expect(ranks([1, 1], lower: (0, 7), upper: (2, 7)) == [0, step])
        let between = ranks([1, 1, 1], lower: (1, 0), upper: (1, step))
        #expect([0] + between + [step] == ([0] + between + [step]).sorted())
        #expect(Set(between).count == 3)
    }

    @Test("known ranks do not change, unknown ones fit in between")
    func known() {
        let filled = ranks([1, 1, 1, 1], known: [nil, 10, nil, 1000])
        #expect(filled[1] == 10)
        #expect(filled[3] == 1000)
        #expect(filled == filled.sorted())
        #expect(Set(filled).count == 4)
    }
}

/// A small deterministic generator (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
