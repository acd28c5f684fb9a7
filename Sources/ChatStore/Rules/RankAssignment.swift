/// Assigns ranks to the items of a page with the same time, relative to each other and to known items.
enum RankAssignment {
    /// The distance between two neighbours: a gap between them can be split 30 times.
    static let step: Int64 = 1 << 32

    struct Neighbour {
        let time: MessageTime
        let rank: Int64
    }

    /// - Parameters:
    ///   - times: the times of the items, oldest first.
    ///   - known: the existing ranks of items, which do not change.
    ///   - lower: the item before the page, if known.
    ///   - upper: the item after the page, if known.
    static func ranks(
        for times: [MessageTime], known: [Int64?], lower: Neighbour? = nil, upper: Neighbour? = nil
    ) -> [Int64] {
        var ranks = known
        var start = 0
        while start < times.count {
            var end = start + 1
            while end < times.count, times[end] == times[start] { end += 1 }
            let below = start == 0 && lower?.time == times[start] ? lower?.rank : nil
            let above = end == times.count && upper?.time == times[start] ? upper?.rank : nil
            fill(&ranks, start..<end, below: below, above: above)
            start = end
        }
        return ranks.map { $0 ?? 0 }
    }

    /// Fills each run of unknown ranks between its known neighbours.
    private static func fill(_ ranks: inout [Int64?], _ run: Range<Int>, below: Int64?, above: Int64?) {
        var index = run.lowerBound
        var left = below
        while index < run.upperBound {
            if let rank = ranks[index] {
                left = rank
                index += 1
                continue
            }
            var end = index + 1
            while end < run.upperBound, ranks[end] == nil { end += 1 }
            let right = end < run.upperBound ? ranks[end] : above
            let count = Int64(end - index)
            for offset in 0..<count {
                let rank: Int64 =
                    switch (left, right) {
                    case (nil, nil): offset * step
                    case (let left?, nil): left + (offset + 1) * step
                    case (nil, let right?): right - (count - offset) * step
                    case (let left?, let right?):
                        left + max(1, (right - left) / (count + 1)) * (offset + 1)
                    }
                ranks[index + Int(offset)] = rank
            }
            left = ranks[end - 1]
            index = end
        }
    }
}
