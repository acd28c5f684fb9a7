extension DinoSubject {
    static let tables = """
        CREATE TABLE IF NOT EXISTS account (
            id INTEGER PRIMARY KEY AUTOINCREMENT, bare_jid TEXT NOT NULL UNIQUE, resourcepart TEXT, password TEXT,
            alias TEXT, enabled INTEGER, roster_version TEXT, mam_earliest_synced INTEGER);
        CREATE TABLE IF NOT EXISTS jid (id INTEGER PRIMARY KEY AUTOINCREMENT, bare_jid TEXT NOT NULL UNIQUE);
        CREATE TABLE IF NOT EXISTS content_item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL, time INTEGER NOT NULL,
            local_time INTEGER NOT NULL, content_type INTEGER NOT NULL, foreign_id INTEGER NOT NULL,
            hide INTEGER NOT NULL DEFAULT 0, UNIQUE (content_type, foreign_id) ON CONFLICT IGNORE);
        CREATE TABLE IF NOT EXISTS message (
            id INTEGER PRIMARY KEY AUTOINCREMENT, stanza_id TEXT, server_id TEXT, account_id INTEGER NOT NULL,
            counterpart_id INTEGER NOT NULL, our_resource TEXT, counterpart_resource TEXT, direction INTEGER NOT NULL,
            type INTEGER, time INTEGER, local_time INTEGER, body TEXT, encryption INTEGER, marked INTEGER);
        CREATE VIRTUAL TABLE IF NOT EXISTS _fts_message USING fts4 (
            tokenize=unicode61, content="message", body TEXT);
        CREATE TABLE IF NOT EXISTS message_occupant_id (
            id INTEGER PRIMARY KEY AUTOINCREMENT, message_id INTEGER NOT NULL, occupant_id INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS message_correction (
            id INTEGER PRIMARY KEY AUTOINCREMENT, message_id INTEGER UNIQUE, to_stanza_id TEXT, to_message_db_id INTEGER);
        CREATE TABLE IF NOT EXISTS reply (
            id INTEGER PRIMARY KEY AUTOINCREMENT, message_id INTEGER NOT NULL UNIQUE, quoted_message_id INTEGER,
            quoted_message_stanza_id TEXT, quoted_message_from TEXT);
        CREATE TABLE IF NOT EXISTS real_jid (message_id INTEGER PRIMARY KEY, real_jid TEXT);
        CREATE TABLE IF NOT EXISTS conversation (
            id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL, jid_id INTEGER NOT NULL, resource TEXT,
            active INTEGER, active_last_changed INTEGER NOT NULL DEFAULT 0, last_active INTEGER, type INTEGER,
            encryption INTEGER, read_up_to INTEGER, read_up_to_item INTEGER NOT NULL DEFAULT -1, notification INTEGER,
            send_typing INTEGER, send_marker INTEGER, pinned INTEGER DEFAULT 0);
        CREATE TABLE IF NOT EXISTS mam_catchup (
            id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL, server_jid TEXT NOT NULL,
            from_id TEXT NOT NULL, from_time INTEGER NOT NULL, from_end INTEGER NOT NULL, to_id TEXT NOT NULL,
            to_time INTEGER NOT NULL);
        """

    static let indexes = """
        CREATE INDEX IF NOT EXISTS contentitem_conversation_hide_time_idx ON content_item (conversation_id, hide, time);
        CREATE INDEX IF NOT EXISTS message_account_counterpart_time_idx ON message (account_id, counterpart_id, time);
        CREATE INDEX IF NOT EXISTS message_account_counterpart_stanzaid_idx
            ON message (account_id, counterpart_id, stanza_id);
        CREATE INDEX IF NOT EXISTS message_account_counterpart_serverid_idx
            ON message (account_id, counterpart_id, server_id);
        CREATE INDEX IF NOT EXISTS message_account_marked_idx ON message (account_id, marked);
        CREATE TRIGGER IF NOT EXISTS _fts_bu_message BEFORE UPDATE ON message BEGIN
            DELETE FROM _fts_message WHERE docid = old.rowid; END;
        CREATE TRIGGER IF NOT EXISTS _fts_bd_message BEFORE DELETE ON message BEGIN
            DELETE FROM _fts_message WHERE docid = old.rowid; END;
        CREATE TRIGGER IF NOT EXISTS _fts_au_message AFTER UPDATE ON message BEGIN
            INSERT INTO _fts_message (docid, body) VALUES (new.rowid, new.body); END;
        CREATE TRIGGER IF NOT EXISTS _fts_ai_message AFTER INSERT ON message BEGIN
            INSERT INTO _fts_message (docid, body) VALUES (new.rowid, new.body); END;
        CREATE INDEX IF NOT EXISTS message_id_occupant_id ON message_occupant_id (message_id, occupant_id);
        CREATE INDEX IF NOT EXISTS message_correction_to_stanza_id_idx ON message_correction (to_stanza_id);
        CREATE INDEX IF NOT EXISTS reply_quoted_message_stanza_id ON reply (quoted_message_stanza_id);
        """
}
