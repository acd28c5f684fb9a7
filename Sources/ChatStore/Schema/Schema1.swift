extension Migration {
    /// The first schema.
    ///
    /// Identifiers of the protocol are in columns of type ANY, encoded by `StoredIdentifier`. Times are milliseconds
    /// since 1970. Addresses and archives are referred to by number, because they occur in very many rows.
    static let schema1 = """
        CREATE TABLE properties (
            name TEXT NOT NULL PRIMARY KEY,
            value ANY
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE addresses (
            id INTEGER PRIMARY KEY,
            address TEXT NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE accounts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            address INTEGER NOT NULL UNIQUE REFERENCES addresses,
            is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
            display_name TEXT,
            roster_version TEXT
        ) STRICT;

        CREATE TABLE sessions (
            account INTEGER NOT NULL PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
            state BLOB NOT NULL
        ) STRICT;

        CREATE TABLE archives (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            address INTEGER NOT NULL REFERENCES addresses,
            UNIQUE (account, address)
        ) STRICT;

        CREATE TABLE contacts (
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            address INTEGER NOT NULL REFERENCES addresses,
            name TEXT,
            subscription TEXT NOT NULL CHECK (subscription IN ('none', 'to', 'from', 'both')),
            is_pending INTEGER NOT NULL CHECK (is_pending IN (0, 1)),
            is_approved INTEGER NOT NULL CHECK (is_approved IN (0, 1)),
            groups TEXT NOT NULL,
            PRIMARY KEY (account, address)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE rooms (
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            address INTEGER NOT NULL REFERENCES addresses,
            nickname TEXT,
            name TEXT,
            subject TEXT,
            joins_automatically INTEGER NOT NULL CHECK (joins_automatically IN (0, 1)),
            occupant_id TEXT,
            PRIMARY KEY (account, address)
        ) STRICT, WITHOUT ROWID;

        -- last_message and unread are derived from the messages, so that the list needs one query; each transaction
        -- that touches a conversation updates them.
        CREATE TABLE conversations (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            address INTEGER NOT NULL REFERENCES addresses,
            kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
            is_pinned INTEGER NOT NULL DEFAULT 0 CHECK (is_pinned IN (0, 1)),
            is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
            notifications INTEGER NOT NULL DEFAULT 0 CHECK (notifications BETWEEN 0 AND 2),
            muted_until INTEGER,
            read_message INTEGER,
            last_message INTEGER,
            unread INTEGER NOT NULL DEFAULT 0,
            newest_order_time INTEGER,
            UNIQUE (account, address, kind)
        ) STRICT;

        -- kind: 0 message, 1 correction, 2 retraction, 3 reactions.
        -- flags: 1 outgoing, 2 the origin-id is the id, 4 has attachments, 8 has reactions.
        -- time is NULL where it is the order_time.
        CREATE TABLE messages (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
            kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
            flags INTEGER NOT NULL,
            sender INTEGER NOT NULL REFERENCES addresses,
            state INTEGER NOT NULL,
            time_source INTEGER NOT NULL CHECK (time_source BETWEEN 0 AND 2),
            order_time INTEGER NOT NULL,
            order_rank INTEGER NOT NULL,
            wire_id ANY,
            archive INTEGER REFERENCES archives,
            archive_id ANY,
            body TEXT,
            time INTEGER,
            origin_id ANY,
            occupant_id TEXT,
            subject TEXT,
            thread TEXT,
            reply_archive INTEGER REFERENCES archives,
            reply_id ANY,
            target_archive INTEGER REFERENCES archives,
            target_id ANY,
            target INTEGER REFERENCES messages ON DELETE CASCADE,
            current_edit INTEGER,
            retraction INTEGER,
            failure TEXT,
            CHECK ((archive IS NULL) = (archive_id IS NULL)),
            CHECK ((kind = 0) = (target_id IS NULL))
        ) STRICT;
        CREATE INDEX messages_timeline ON messages (conversation, order_time, order_rank) WHERE kind = 0;
        CREATE UNIQUE INDEX messages_archived ON messages (archive, archive_id) WHERE archive_id IS NOT NULL;
        CREATE INDEX messages_sent ON messages (wire_id) WHERE wire_id IS NOT NULL;
        CREATE INDEX messages_origin ON messages (origin_id) WHERE origin_id IS NOT NULL;
        CREATE INDEX messages_target ON messages (target) WHERE target IS NOT NULL;
        CREATE INDEX messages_waiting ON messages (target_id, conversation) WHERE target IS NULL AND kind <> 0;
        CREATE INDEX messages_displayed ON messages (conversation, order_time, order_rank) WHERE state = 6000;

        -- Further archive ids of a message: of other archives, or of the same archive again.
        CREATE TABLE further_names (
            archive INTEGER NOT NULL REFERENCES archives,
            archive_id ANY NOT NULL,
            message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
            PRIMARY KEY (archive, archive_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX further_names_message ON further_names (message);

        CREATE TABLE attachments (
            message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
            position INTEGER NOT NULL,
            kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3),
            media_type TEXT,
            name TEXT,
            size INTEGER,
            width INTEGER,
            height INTEGER,
            duration INTEGER,
            url TEXT,
            content_hash TEXT,
            is_local INTEGER NOT NULL CHECK (is_local IN (0, 1)),
            thumbnail BLOB,
            PRIMARY KEY (message, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE drafts (
            conversation INTEGER NOT NULL PRIMARY KEY REFERENCES conversations ON DELETE CASCADE,
            body TEXT NOT NULL,
            reply INTEGER,
            edits INTEGER,
            time INTEGER NOT NULL
        ) STRICT;

        -- Receipts, markers and read positions that arrived before their message.
        CREATE TABLE pending_marks (
            conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
            kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
            target_archive INTEGER NOT NULL DEFAULT 0,
            target_id ANY NOT NULL,
            state INTEGER NOT NULL,
            failure TEXT,
            PRIMARY KEY (conversation, target_archive, target_id, kind)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE archive_intervals (
            id INTEGER PRIMARY KEY,
            archive INTEGER NOT NULL REFERENCES archives ON DELETE CASCADE,
            peer INTEGER REFERENCES addresses,
            reaches_start INTEGER NOT NULL CHECK (reaches_start IN (0, 1)),
            first_id TEXT NOT NULL,
            first_time INTEGER NOT NULL,
            first_rank INTEGER NOT NULL,
            last_id TEXT NOT NULL,
            last_time INTEGER NOT NULL,
            last_rank INTEGER NOT NULL,
            CHECK (first_time <= last_time)
        ) STRICT;
        CREATE INDEX archive_intervals_archive ON archive_intervals (archive, peer);

        CREATE TABLE send_queue (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            message INTEGER NOT NULL UNIQUE REFERENCES messages ON DELETE CASCADE,
            attempts INTEGER NOT NULL DEFAULT 0,
            not_before INTEGER
        ) STRICT;

        CREATE TABLE capabilities (
            algorithm TEXT NOT NULL,
            hash TEXT NOT NULL,
            information BLOB NOT NULL,
            PRIMARY KEY (algorithm, hash)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE avatar_data (
            hash TEXT NOT NULL PRIMARY KEY,
            media_type TEXT NOT NULL,
            data BLOB NOT NULL
        ) STRICT;

        CREATE TABLE avatars (
            account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
            address INTEGER NOT NULL REFERENCES addresses,
            hash TEXT NOT NULL REFERENCES avatar_data,
            PRIMARY KEY (account, address)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX avatars_hash ON avatars (hash);

        -- Messages whose text is not in the search index yet; they are searched by scanning.
        CREATE TABLE unindexed (
            message INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE
        ) STRICT;

        CREATE VIRTUAL TABLE search USING fts5 (
            grams, content = '', detail = none, columnsize = 0, tokenize = "ascii tokenchars '_'"
        );
        """
}
