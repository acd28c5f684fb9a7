extension Migration {
    /// Conversations that a person has marked as unread, how far voice messages were played, who is there as long as a
    /// session can be resumed, and what of the files in the cache is still to be sent.
    static let schema2 = """
        ALTER TABLE conversations ADD COLUMN is_marked_unread INTEGER NOT NULL DEFAULT 0
            CHECK (is_marked_unread IN (0, 1));

        -- In milliseconds; NULL before it was played for the first time.
        ALTER TABLE attachments ADD COLUMN playback INTEGER;

        -- What has not left is little, whatever the history holds.
        CREATE INDEX messages_unsent ON messages (state) WHERE state < 3000;

        -- Addresses stand here as text: devices come and go under ever new ones, and nothing else refers to them.
        -- kind: 0 available, 1 asks to see this account's presence.
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
