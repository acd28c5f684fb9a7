internal import ChatStore
internal import Waiting

/// The loaded part of a conversation: it moves the window, one movement after the other, each in a consistent state of the store.
@MainActor
final class TimelineLoader {
    private let key: ConversationKey
    private let store: any LocalStore
    private let turns = AsyncLock()
    private(set) var conversation: ConversationID?
    private(set) var contents: TimelineContents
    private(set) var book = AddressBook()

    init(_ key: ConversationKey, _ store: any LocalStore, _ window: TimelineWindow) {
        self.key = key
        self.store = store
        contents = TimelineContents(window)
    }

    private struct Moment: Sendable {
        var book: AddressBook?
        var conversation: ConversationID?
        var contents: TimelineContents
        var result: TimelineMove.Result?
    }

    /// Moves the window.
    ///
    /// - Parameters:
    ///   - readsBook: whether the names of accounts and contacts are read again.
    ///   - then: called before the next movement begins, with `nil` while there is no such conversation.
    func move(
        _ move: TimelineMove, readsBook: Bool, then: @MainActor (TimelineMove.Result?) -> Void
    ) async throws(StoreError) {
        try await turns.withLock { [store, key] () async throws(StoreError) in
            let window = contents.window
            let moment = try await store.read { store throws(StoreError) in
                let book = readsBook ? try AddressBook(store, of: key.account) : nil
                guard let conversation = try store.conversation(key) else {
                    let empty = TimelineWindow(pageSize: window.pageSize, pages: window.pages)
                    return Moment(book: book, contents: TimelineContents(empty))
                }
                let result = try move.result(from: window, of: conversation, in: store)
                let contents = try TimelineContents(result.window, of: conversation, key: key, in: store)
                return Moment(book: book, conversation: conversation, contents: contents, result: result)
            }
            if let book = moment.book { self.book = book }
            conversation = moment.conversation
            contents = moment.contents
            then(moment.result)
        }
    }
}
