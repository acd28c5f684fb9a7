internal import XMPPAddress

extension SQLiteTransaction {
    func intervals(of scope: ArchiveScope) throws(StoreError) -> ArchiveIntervals {
        guard let archive = try knownArchive(scope.archive, of: scope.account) else { return ArchiveIntervals() }
        var peer: Int64?
        if let with = scope.with {
            peer = try knownNumber(of: with)
            if peer == nil { return ArchiveIntervals() }
        }
        let intervals = try connection.rows(
            """
            SELECT reaches_start, first_id, first_time, first_rank, last_id, last_time, last_rank
            FROM archive_intervals WHERE archive = ? AND peer IS ?
            """, [.integer(archive), SQLiteValue(peer)]
        ) { row throws(StoreError) in
            ArchiveInterval(
                reachesStart: row.bool(0),
                first: StoredArchivePosition(id: row.text(1), time: row.time(2), rank: row.integer(3)),
                last: StoredArchivePosition(id: row.text(4), time: row.time(5), rank: row.integer(6)))
        }
        return ArchiveIntervals(intervals)
    }

    func save(_ intervals: ArchiveIntervals, of scope: ArchiveScope) throws(StoreError) {
        guard try intervals != self.intervals(of: scope) else { return }
        let archive = SQLiteValue.integer(try archive(scope.archive, of: scope.account))
        let peer = SQLiteValue(try scope.with.map { address throws(StoreError) in try number(of: address) })
        try connection.run("DELETE FROM archive_intervals WHERE archive = ? AND peer IS ?", [archive, peer])
        for interval in intervals.intervals {
            try connection.run(
                """
                INSERT INTO archive_intervals (archive, peer, reaches_start, first_id, first_time, first_rank, last_id,
                last_time, last_rank) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    archive, peer, SQLiteValue(interval.reachesStart), .text(interval.first.id),
                    SQLiteValue(interval.first.time), .integer(interval.first.rank), .text(interval.last.id),
                    SQLiteValue(interval.last.time), .integer(interval.last.rank),
                ])
        }
    }

    func forgetIntervals(of archive: JID, account: AccountID) throws(StoreError) {
        guard let number = try knownArchive(archive.bare, of: account) else { return }
        try connection.run("DELETE FROM archive_intervals WHERE archive = ?", [.integer(number)])
    }
}
