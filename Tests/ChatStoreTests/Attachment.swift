import ChatStore

/// That of a message; tests have attachments, too.
typealias Attachment = ChatStore.Attachment
