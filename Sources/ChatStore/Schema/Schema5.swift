extension Migration {
    /// What is known of the end-to-end protection of messages, and what the protection of an account remembers.
    ///
    /// Few different facts stand in very many rows, so they are named by number, as addresses are. Nothing refers to that number by a
    /// foreign key: a message is not lost with what was known of its protection.
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
}
