extension Migration {
    /// What proves who wrote a message in a room without occupant ids, when receipts and markers came that wait for their message,
    /// and until when an account was online.
    ///
    /// Files of earlier versions can hold marks and empty conversations that strangers have made by the thousand. Marks that are
    /// of use come again with the archive or the next connection; a conversation without a message, draft or setting is none.
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
}
