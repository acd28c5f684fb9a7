/// The intervals of one archive that are proved complete, oldest first, and how pages extend and join them.
package struct ArchiveIntervals: Equatable, Sendable {
    private(set) var intervals: [ArchiveInterval]

    package init(_ intervals: [ArchiveInterval] = []) {
        self.intervals = intervals.sorted { $0.first.isBefore($1.first) }
    }

    /// What lies before, and between, what is known; newest first, which is the order in which a person misses it.
    var gaps: [ArchiveGap] {
        var gaps: [ArchiveGap] = []
        var previous: StoredArchivePosition?
        for interval in intervals {
            if previous != nil || !interval.reachesStart {
                gaps.append(ArchiveGap(after: previous, before: interval.first))
            }
            previous = interval.last
        }
        return gaps.reversed()
    }

    /// The place of an item that bounds an interval.
    func bound(_ id: String) -> StoredArchivePosition? {
        for interval in intervals {
            if interval.first.id == id { return interval.first }
            if interval.last.id == id { return interval.last }
        }
        return nil
    }

    /// Takes in what a page proves.
    ///
    /// - Parameters:
    ///   - items: the places of the page's items, oldest first.
    ///   - anchor: the place of the query's anchor, if that is known.
    ///   - limit: the place of the query's limit, if that is known.
    mutating func insert(
        _ items: [StoredArchivePosition], of query: StoredArchiveQuery, isComplete: Bool,
        anchor: StoredArchivePosition?,
        limit: StoredArchivePosition?
    ) {
        var members = items
        var reachesStart = false
        switch query.direction {
        case .forward:
            if let anchor { members.insert(anchor, at: 0) }
            if query.anchor == nil, !query.isLimitedByTime { reachesStart = true }
            if isComplete, let limit { members.append(limit) }
        case .backward:
            if let anchor { members.append(anchor) }
            if isComplete, let limit {
                members.insert(limit, at: 0)
            } else if isComplete, query.limit == nil, !query.isLimitedByTime {
                reachesStart = true
            }
        }
        // An archive without anything in it has no bounds to keep, and is as quickly asked again.
        guard let first = members.first, let last = members.last else { return }
        var union = ArchiveInterval(reachesStart: reachesStart, first: first, last: last)
        // Joining can make the union touch an interval that the page alone did not.
        var ids = Set(members.map(\.id))
        var rest = intervals
        var joined = true
        while joined {
            joined = false
            for (index, other) in rest.enumerated() where Self.touch(union, ids, members, other) {
                if other.first.isBefore(union.first) { union.first = other.first }
                if union.last.isBefore(other.last) { union.last = other.last }
                union.reachesStart = union.reachesStart || other.reachesStart
                ids.insert(other.first.id)
                ids.insert(other.last.id)
                rest.remove(at: index)
                joined = true
                break
            }
        }
        intervals = (rest + [union]).sorted { $0.first.isBefore($1.first) }
    }

    /// Both hold the same item. Times alone prove that only where they lie strictly inside, because several items can have
    /// the same time, and ranks compare only items of pages that border on each other. So a page that is kept again can
    /// seem to be an interval of its own, if all of it is of one second; better ask for a gap that is none than miss one.
    private static func touch(
        _ union: ArchiveInterval, _ ids: Set<String>, _ members: [StoredArchivePosition], _ other: ArchiveInterval
    ) -> Bool {
        if ids.contains(other.first.id) || ids.contains(other.last.id) { return true }
        if union.reachesStart && other.reachesStart { return true }
        func isInside(_ time: MessageTime, _ interval: ArchiveInterval) -> Bool {
            time < interval.last.time && (interval.reachesStart || interval.first.time < time)
        }
        return isInside(other.first.time, union) || isInside(other.last.time, union)
            || members.contains { isInside($0.time, other) }
    }
}
