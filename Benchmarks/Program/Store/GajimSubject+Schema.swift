extension GajimSubject {
    private static let owner = """
        pk INTEGER NOT NULL PRIMARY KEY, fk_account_pk INTEGER NOT NULL REFERENCES account (pk) ON DELETE CASCADE,
        fk_remote_pk INTEGER NOT NULL REFERENCES remote (pk)
        """
    private static let part = """
        pk INTEGER NOT NULL PRIMARY KEY, fk_message_pk INTEGER NOT NULL REFERENCES message (pk) ON DELETE CASCADE
        """

    static let tables = """
        CREATE TABLE account (pk INTEGER NOT NULL PRIMARY KEY, jid TEXT NOT NULL);
        CREATE UNIQUE INDEX idx_account ON account (jid);
        CREATE TABLE remote (pk INTEGER NOT NULL PRIMARY KEY, jid TEXT NOT NULL);
        CREATE UNIQUE INDEX idx_remote ON remote (jid);
        CREATE TABLE thread (\(owner), id TEXT NOT NULL);
        CREATE TABLE encryption (pk INTEGER NOT NULL PRIMARY KEY, protocol TEXT NOT NULL, key TEXT NOT NULL, trust INTEGER);
        CREATE TABLE securitylabel (\(owner), label_hash TEXT NOT NULL, displaymarking TEXT, fgcolor TEXT, bgcolor TEXT,
            updated_at FLOAT);
        CREATE TABLE occupant (\(owner), id TEXT NOT NULL, fk_real_remote_pk INTEGER REFERENCES remote (pk),
            nickname TEXT, avatar_sha TEXT, blocked BOOLEAN NOT NULL, updated_at FLOAT NOT NULL);
        CREATE UNIQUE INDEX idx_occupant ON occupant (id, fk_remote_pk, fk_account_pk);
        CREATE TABLE message (\(owner), resource TEXT, type INTEGER NOT NULL, timestamp FLOAT NOT NULL,
            direction INTEGER NOT NULL, state INTEGER NOT NULL, id TEXT, stanza_id TEXT, text TEXT, markup_type INTEGER,
            markup TEXT, user_delay_ts FLOAT, fk_thread_pk INTEGER REFERENCES thread (pk),
            fk_occupant_pk INTEGER REFERENCES occupant (pk), fk_encryption_pk INTEGER REFERENCES encryption (pk),
            fk_security_label_pk INTEGER REFERENCES securitylabel (pk), correction_id TEXT);
        CREATE INDEX idx_message ON message (fk_remote_pk, fk_account_pk, timestamp DESC);
        CREATE INDEX idx_message_corrections ON message (correction_id, fk_remote_pk, fk_account_pk, timestamp ASC);
        CREATE INDEX idx_message_id ON message (id, fk_remote_pk, fk_account_pk);
        CREATE INDEX idx_stanza_id ON message (stanza_id, fk_remote_pk, fk_account_pk);
        CREATE TABLE mam_archive_state (\(owner), from_stanza_id TEXT, from_stanza_ts FLOAT, to_stanza_id TEXT,
            to_stanza_ts FLOAT);
        CREATE UNIQUE INDEX idx_mam_archive_state ON mam_archive_state (fk_remote_pk, fk_account_pk);
        """

    static let furtherTables = """
        CREATE TABLE oob (\(part), url TEXT NOT NULL, description TEXT);
        CREATE INDEX idx_oob_message_pk ON oob (fk_message_pk);
        CREATE TABLE opengraph (\(part), about TEXT NOT NULL, title TEXT NOT NULL, description TEXT, image_bytes BLOB);
        CREATE INDEX idx_opengraph_message_pk ON opengraph (fk_message_pk);
        CREATE TABLE filetransfer (\(part), name TEXT, size INTEGER, state INTEGER, path TEXT);
        CREATE TABLE reply (fk_message_pk INTEGER NOT NULL PRIMARY KEY REFERENCES message (pk) ON DELETE CASCADE,
            id TEXT NOT NULL, "to" TEXT);
        CREATE TABLE call (fk_message_pk INTEGER NOT NULL PRIMARY KEY REFERENCES message (pk) ON DELETE CASCADE,
            sid TEXT NOT NULL, end_ts FLOAT, state INTEGER NOT NULL);
        CREATE TABLE error (\(owner), message_id TEXT NOT NULL, by TEXT, type TEXT NOT NULL, text TEXT);
        CREATE UNIQUE INDEX idx_error ON error (message_id, fk_remote_pk, fk_account_pk);
        CREATE TABLE moderation (\(owner), fk_occupant_pk INTEGER REFERENCES occupant (pk), stanza_id TEXT NOT NULL,
            by TEXT, reason TEXT, timestamp FLOAT NOT NULL);
        CREATE UNIQUE INDEX idx_moderation ON moderation (stanza_id, fk_remote_pk, fk_account_pk);
        CREATE TABLE receipt (\(owner), id TEXT NOT NULL, timestamp FLOAT NOT NULL);
        CREATE UNIQUE INDEX idx_receipt ON receipt (id, fk_remote_pk, fk_account_pk);
        CREATE TABLE reaction (\(owner), fk_occupant_pk INTEGER REFERENCES occupant (pk), id TEXT NOT NULL,
            direction INTEGER NOT NULL, emojis TEXT NOT NULL, timestamp FLOAT NOT NULL);
        CREATE INDEX idx_reaction ON reaction (id, fk_remote_pk, fk_account_pk);
        CREATE TABLE retraction (\(owner), fk_occupant_pk INTEGER REFERENCES occupant (pk), id TEXT NOT NULL,
            direction INTEGER NOT NULL, timestamp FLOAT NOT NULL, state INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX idx_retraction ON retraction (id, fk_remote_pk, fk_account_pk, direction);
        """
}
