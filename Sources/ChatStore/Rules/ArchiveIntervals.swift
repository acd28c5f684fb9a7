/// The intervals of one archive that are known to be complete, oldest first, and how pages extend and join them.
package struct ArchiveIntervals: Equatable, Sendable {
    private(set) var intervals: [ArchiveInterval]

    package init(_ intervals: [ArchiveInterval] = []) {
        self.intervals = intervals.sorted { $0.first.isBefore($1.first) }
    }

    /// The gaps before and between the intervals, newest first, which is the order in which the user needs them.
    var gaps: [ArchiveGap] {
        var gaps: [ArchiveGap] = []
        var previous: StoredArchivePosition?
        var wasEmpty = false
        for interval in intervals {
            guard interval != .empty else {
                wasEmpty = true
                continue
            }
            if previous != nil || !interval.reachesStart {
                gaps.append(
                    ArchiveGap(after: previous, before: interval.first, followsEmpty: previous == nil && wasEmpty))
            }
            previous = interval.last
        }
        return gaps.reversed()
    }

    /// The position of an item that is an end of an interval.
    func bound(_ id: String) -> StoredArchivePosition? {
        for interval in intervals {
            if interval.first.id == id { return interval.first }
            if interval.last.id == id { return interval.last }
        }
        return nil
    }

    /// Adds the interval that a page proves.
    ///
    /// - Parameters:
    ///   - items: the positions of the page's items, oldest first.
    ///   - anchor: the position of the query's anchor, if it is known.
    ///   - limit: the position of the query's limit, if it is known.
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
        guard let first = members.first, let last = members.last else {
            if reachesStart, isComplete, intervals.isEmpty { intervals = [.empty] }
            return
        }
        var union = ArchiveInterval(reachesStart: reachesStart, first: first, last: last)
        // A joined interval can touch another one that the page alone did not touch.
        var ids = Set(members.map(\.id))
        var rest = intervals
        var joined = true
        while joined {
            joined = false
            for (index, other) in rest.enumerated() where Self.touch(union, ids, members, other) {
                if other != .empty {
                    if other.first.isBefore(union.first) { union.first = other.first }
                    if union.last.isBefore(other.last) { union.last = other.last }
                    ids.insert(other.first.id)
                    ids.insert(other.last.id)
                }
                union.reachesStart = union.reachesStart || other.reachesStart
                rest.remove(at: index)
                joined = true
                break
            }
        }
        intervals = (rest + [union]).sorted { $0.first.isBefore($1.first) }
    }

    /// Whether both contain the same item. Times prove that only if they lie strictly inside, because several items can
    /// have the same time, and ranks only compare items of adjacent pages. So a page that is stored again can appear to
    /// be a separate interval if all of its items have the same second; it is better to query a gap that does not exist
    /// than to miss one.
    private static func touch(
        _ union: ArchiveInterval, _ ids: Set<String>, _ members: [StoredArchivePosition], _ other: ArchiveInterval
    ) -> Bool {
        if other == .empty { return union.reachesStart }
        if ids.contains(other.first.id) || ids.contains(other.last.id) { return true }
        if union.reachesStart && other.reachesStart { return true }
        func isInside(_ time: MessageTime, _ interval: ArchiveInterval) -> Bool {
            time < interval.last.time && (interval.reachesStart || interval.first.time < time)
        }
        return isInside(other.first.time, union) || isInside(other.last.time, union)
            || members.contains { isInside($0.time, other) }
    }
}
