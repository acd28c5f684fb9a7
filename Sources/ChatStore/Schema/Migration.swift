/// One numbered step of the schema. Steps are only ever added at the end; one that was released is never changed.
struct Migration: Sendable {
    let number: Int64
    let apply: @Sendable (SQLiteConnection) throws(StoreError) -> Void

    /// All steps; the number of the last one is the version of the file (`PRAGMA user_version`).
    static let all = [
        Migration(number: 1, apply: { connection throws(StoreError) in try connection.execute(schema1) }),
        Migration(number: 2, apply: { connection throws(StoreError) in try connection.execute(schema2) }),
        Migration(number: 3, apply: { connection throws(StoreError) in try connection.execute(schema3) }),
        Migration(number: 4, apply: { connection throws(StoreError) in try connection.execute(schema4) }),
        Migration(number: 5, apply: { connection throws(StoreError) in try connection.execute(schema5) }),
    ]

    /// Brings a file up to the last step, all steps in one transaction.
    ///
    /// - Returns: the version that the file had; 0 is a new file.
    static func migrate(
        _ connection: SQLiteConnection, with migrations: [Migration] = all
    ) throws(StoreError) -> Int64 {
        let newest = migrations.last?.number ?? 0
        let version = try connection.integer("PRAGMA user_version") ?? 0
        guard version <= newest else {
            throw StoreError(
                .tooNew,
                "\(connection.path) was written by a newer version of this program (\(version), this one knows \(newest)). "
                    + "Use that version, or another folder.")
        }
        guard version < newest else { return version }
        try connection.transaction(immediate: true) { () throws(StoreError) in
            for migration in migrations where migration.number > version { try migration.apply(connection) }
            try connection.execute("PRAGMA user_version = \(newest)")
        }
        return version
    }
}
