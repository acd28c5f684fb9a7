internal import Waiting

/// Where one task waits for how its request to a room ended.
final class RoomAnswer: Sendable {
    enum Wish: Sendable {
        case entrance, nickname, departure
    }

    let wish: Wish
    private let promise = Promise<Result<Void, GroupChatError>>()

    init(_ wish: Wish) {
        self.wish = wish
    }

    /// The first result counts.
    func fill(_ result: Result<Void, GroupChatError>) { promise.fulfil(result) }

    /// Returns when the wish is granted; throws `cancelled` as soon as the task is.
    func wait() async throws(GroupChatError) {
        try await promise.value(cancelled: .failure(.cancelled)).get()
    }
}
