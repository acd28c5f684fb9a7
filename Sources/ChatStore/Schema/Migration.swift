/// One numbered migration of the schema. Migrations are only added at the end, and never changed after a release.
struct Migration: Sendable {
    let number: Int64
    let apply: @Sendable (SQLiteConnection) throws(StoreError) -> Void

    /// All migrations; the number of the last one is the version of the file (`PRAGMA user_version`).
    static let all = [
        Migration(number: 1, apply: { connection throws(StoreError) in try connection.execute(schema1) }),
        Migration(number: 2, apply: { connection throws(StoreError) in try connection.execute(schema2) }),
        Migration(number: 3, apply: { connection throws(StoreError) in try connection.execute(schema3) }),
        Migration(number: 4, apply: { connection throws(StoreError) in try connection.execute(schema4) }),
        Migration(number: 5, apply: { connection throws(StoreError) in try connection.execute(schema5) }),
        Migration(number: 6, apply: { connection throws(StoreError) in try connection.execute(schema6) }),
        Migration(number: 7, apply: { connection throws(StoreError) in try connection.execute(schema7) }),
        Migration(number: 8, apply: { connection throws(StoreError) in try connection.execute(schema8) }),
        Migration(number: 9, apply: { connection throws(StoreError) in try connection.execute(schema9) }),
        Migration(number: 10, apply: { connection throws(StoreError) in try connection.execute(schema10) }),
        Migration(number: 11, apply: { connection throws(StoreError) in try connection.execute(schema11) }),
        Migration(number: 12, apply: { connection throws(StoreError) in try connection.execute(schema12) }),
    ]

    /// Applies all missing migrations in one transaction.
    ///
    /// - Returns: the version of the file before; 0 for a new file.
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

extension Migration {
    /// Adds conversations that are marked as unread, the playback position of voice messages, presences while a session
    /// can be resumed, and an index of unsent messages.
    static let schema2 = """
        ALTER TABLE conversations ADD COLUMN is_marked_unread INTEGER NOT NULL DEFAULT 0
            CHECK (is_marked_unread IN (0, 1));

        -- In milliseconds; NULL before it was played for the first time.
        ALTER TABLE attachments ADD COLUMN playback INTEGER;

        -- There are few unsent messages, however long the history is.
        CREATE INDEX messages_unsent ON messages (state) WHERE state < 3000;

        -- Addresses are stored as text here: devices come and go under ever new addresses, and nothing else refers to
        -- them.
        -- kind: 0 available, 1 requests to see this account's presence.
        CREATE TABLE presences (
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            address TEXT NOT NULL,
            kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
            show TEXT,
            status TEXT,
            priority INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, address, kind)
        ) STRICT, WITHOUT ROWID;
        """
}

extension Migration {
    /// Adds the kinds of files of a message, so that messages with files are found without reading the whole
    /// conversation.
    ///
    /// Each kind is the bit of its number; NULL if there is no file. The update starts from the attachments, not from
    /// the messages, of which there are many more.
    static let schema3 = """
        ALTER TABLE messages ADD COLUMN media INTEGER CHECK (media BETWEEN 1 AND 15);

        UPDATE messages SET media = (
            SELECT sum(DISTINCT 1 << a.kind) FROM attachments a
            WHERE a.message = coalesce(
                (SELECT e.message FROM attachments e WHERE e.message = messages.current_edit), messages.id)
        )
        WHERE kind = 0 AND retraction IS NULL AND id IN (
            SELECT message FROM attachments
            UNION SELECT c.target FROM attachments b JOIN messages c ON c.id = b.message WHERE c.kind = 1
        );

        CREATE INDEX messages_media ON messages (conversation, media, order_time, order_rank)
            WHERE media IS NOT NULL;
        """
}

extension Migration {
    /// Adds the proof of authorship in rooms without occupant ids, the time at which pending receipts and markers
    /// arrived, and the time at which an account was last online.
    ///
    /// Files of earlier versions can contain thousands of pending marks and empty conversations that strangers have
    /// caused. Useful marks arrive again with the archive or the next connection; a conversation without a message,
    /// draft or setting is removed.
    static let schema4 = """
        -- 0 is this account's own stay; NULL proves nothing.
        ALTER TABLE messages ADD COLUMN stay INTEGER;

        ALTER TABLE pending_marks ADD COLUMN time INTEGER NOT NULL DEFAULT 0;
        DELETE FROM pending_marks;

        ALTER TABLE accounts ADD COLUMN last_online INTEGER;

        DELETE FROM conversations WHERE kind <> 1 AND last_message IS NULL AND is_pinned = 0 AND is_archived = 0
            AND is_marked_unread = 0 AND notifications = 0 AND muted_until IS NULL
            AND id NOT IN (SELECT conversation FROM drafts)
            AND id NOT IN (SELECT conversation FROM messages WHERE target IS NULL AND kind <> 0);
        """

    /// The end-to-end protection of each message, and the records of an account's protection, such as keys.
    ///
    /// Many rows have the same facts, so rows refer to them by number, as to addresses. The number is not a foreign key: if the
    /// facts are lost, the message is not.
    static let schema5 = """
        CREATE TABLE protections (
            id INTEGER PRIMARY KEY,
            facts TEXT NOT NULL UNIQUE
        ) STRICT;

        -- NULL for a message that was not protected.
        ALTER TABLE messages ADD COLUMN protection INTEGER;

        CREATE TABLE protection_records (
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            name TEXT NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (account, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// The devices that cannot decrypt a message of ours, and notices about the protection of a conversation.
    static let schema6 = """
        -- The number of a list in protections; NULL if all devices can decrypt it.
        ALTER TABLE messages ADD COLUMN unreadable INTEGER;

        CREATE TABLE notices (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,
            key TEXT
        ) STRICT;
        CREATE INDEX notices_time ON notices (conversation, time);
        """

    /// The event log and its readers.
    ///
    /// The newest entry is never removed, so that a position is never used twice.
    static let schema7 = """
        -- kind: `StoredEvent.Kind`. conversation_kind: of messages and removed conversations.
        CREATE TABLE events (
            position INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            account INTEGER NOT NULL,
            address INTEGER NOT NULL REFERENCES addresses,
            conversation_kind INTEGER,
            message INTEGER
        ) STRICT;

        CREATE TABLE event_readers (
            name TEXT NOT NULL PRIMARY KEY,
            created INTEGER NOT NULL,
            acknowledged INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The names that people have given themselves.
    static let schema8 = """
        -- Empty for those who are known to have given none.
        CREATE TABLE published_names (
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            address INTEGER NOT NULL REFERENCES addresses,
            name TEXT NOT NULL,
            PRIMARY KEY (account, address)
        ) STRICT, WITHOUT ROWID;
        """

    /// What is behind a link of a message, and which devices have confirmed one of ours.
    static let schema9 = """
        -- JSON of a LinkDescription; few messages have one.
        ALTER TABLE messages ADD COLUMN link TEXT;
        -- JSON of MessageReceipts.
        ALTER TABLE messages ADD COLUMN receipts TEXT;
        """

    /// The place of a pinned conversation.
    static let schema10 = """
        -- From 0; NULL for one that is not pinned, or was pinned before.
        ALTER TABLE conversations ADD COLUMN pin_rank INTEGER;
        """

    /// When a conversation was begun.
    static let schema11 = """
        -- NULL for one that the user has not begun, or that was begun before.
        ALTER TABLE conversations ADD COLUMN begun INTEGER;
        """

    /// Choices of notifications that the user's other devices do not know yet.
    static let schema12 = """
        ALTER TABLE conversations ADD COLUMN is_unshared INTEGER NOT NULL DEFAULT 0 CHECK (is_unshared IN (0, 1));
        """
}
