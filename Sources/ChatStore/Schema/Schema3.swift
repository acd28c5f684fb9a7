extension Migration {
    /// What kinds of files a message has, as it is shown, so that those of a conversation are found without reading it.
    ///
    /// The number of a kind is the bit that stands for it; NULL where there is no file. Which messages have one is found from
    /// the files, not from the messages, which are many more.
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
