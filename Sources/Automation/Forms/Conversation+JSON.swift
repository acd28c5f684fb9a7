internal import ChatEngine
package import ChatStore
package import JSONRPC
internal import MessageFeatures

extension Conversation {
    /// One object, independent of the language of the user.
    ///
    /// - Parameter name: the name of the contact or room, as the programs show it.
    package func json(name: String) -> JSONValue {
        [
            "event": "conversation", "with": .text(key.address), "kind": .string(key.kind.word), "name": .string(name),
            "unread": .integer(unreadCount), "time": .text(lastMessage?.time.timestamp),
            "body": .text(lastMessage?.text.body.withoutFileKeys),
        ]
    }
}
