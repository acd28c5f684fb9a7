/// What a room is about at the moment (XEP-0045 §8.1).
public struct RoomSubject: Sendable, Hashable {
    /// Empty when the room has none.
    public var text: String
    /// Who set it, by nickname; `nil` when the room itself says it.
    public var nickname: String?

    public init(text: String, nickname: String? = nil) {
        self.text = text
        self.nickname = nickname
    }
}
