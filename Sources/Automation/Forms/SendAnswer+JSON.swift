package import JSONRPC
package import UserProfile

extension SendAnswer {
    /// One object, independent of the language of the user but for the reason.
    package var json: JSONValue {
        [
            "id": .string(id), "message": .integer(Int(message)), "stage": .string(stage.rawValue),
            "reason": .text(reason), "protection": protection?.json ?? .null, "unreadable": unreadable?.json ?? .null,
        ]
    }
}
