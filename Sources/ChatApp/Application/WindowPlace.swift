internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Where a view stands: the window over which others open, and how the person is shown a message.
struct WindowPlace {
    var window: () -> Window? = { nil }
    /// Shows a sentence for a moment.
    var toast: (String) -> Void = { _ in }

    /// Does something with the store and shows what went wrong.
    func attempt(_ body: @escaping () async throws(StoreError) -> Void) {
        let toast = toast
        Task {
            do throws(StoreError) {
                try await body()
            } catch {
                toast(Wording.failure(error))
            }
        }
    }
}
