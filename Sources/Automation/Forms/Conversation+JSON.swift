internal import ChatEngine
package import ChatStore
package import JSONRPC
internal import MessageFeatures

extension Conversation {
    /// One object, independent of the language of the user.
    ///
    /// - Parameter name: the name that the user gave to the contact or room.
    package func json(name: String?) -> JSONValue {
        [
            "event": "conversation", "with": .text(key.address), "kind": .string(key.kind.word), "name": .text(name),
            "unread": .integer(unreadCount), "time": .text(lastMessage?.time.timestamp),
            "body": .text(lastMessage?.text.body.withoutFileKeys),
        ]
    }
}
