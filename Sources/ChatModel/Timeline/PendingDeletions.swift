public import ChatStore
public import Observation

/// Deletions that the user can undo for a few seconds.
///
///     let deletion = deletions.begin([message.id]) { try await timeline.retract(message.id) }
///     deletions.undo(deletion)              // nothing has happened
///
/// Until then the messages are unchanged everywhere else; ``messages`` says which of them to show as deleted. A program
/// that ends calls ``flush()``, because the user has already decided.
@MainActor
@Observable
public final class PendingDeletions {
    /// A deletion, for ``undo(_:)``.
    public struct ID: Hashable, Sendable {
        let number: Int
    }

    private struct Deletion {
        let messages: [MessageID]
        let perform: @MainActor () async throws(StoreError) -> Void
        let failed: @MainActor (StoreError) -> Void
        let waiting: Task<Void, Never>
    }

    /// Long enough to read what happened and to reach for the button.
    public static let delay = Duration.seconds(5)

    /// The messages to show as deleted.
    public private(set) var messages: Set<MessageID> = []

    @ObservationIgnored private var deletions: [ID: Deletion] = [:]
    /// Those that have begun.
    @ObservationIgnored private var performing: [ID: Task<Void, Never>] = [:]
    @ObservationIgnored private var count = 0
    @ObservationIgnored private let environment: ModelEnvironment

    public init(environment: ModelEnvironment = ModelEnvironment()) { self.environment = environment }

    /// Deletes messages after ``delay``.
    ///
    /// - Parameters:
    ///   - perform: deletes them.
    ///   - failed: called with the error of `perform`; the messages are shown again.
    ///   - done: called when it can no longer be undone.
    @discardableResult
    public func begin(
        _ ids: [MessageID], perform: @escaping @MainActor () async throws(StoreError) -> Void,
        failed: @escaping @MainActor (StoreError) -> Void = { _ in }, done: @escaping @MainActor () -> Void = {}
    ) -> ID {
        count += 1
        let id = ID(number: count)
        messages.formUnion(ids)
        let waiting = Task { [weak self, clock = environment.clock] in
            guard (try? await clock.sleep(for: Self.delay)) != nil else { return }
            done()
            await self?.perform(id)
        }
        deletions[id] = Deletion(messages: ids, perform: perform, failed: failed, waiting: waiting)
        return id
    }

    /// Shows the messages again. `false` if it was too late.
    @discardableResult
    public func undo(_ id: ID) -> Bool {
        guard let deletion = deletions.removeValue(forKey: id) else { return false }
        deletion.waiting.cancel()
        show(deletion.messages)
        return true
    }

    /// Performs all deletions now.
    public func flush() async {
        for id in deletions.keys.sorted(by: { $0.number < $1.number }) {
            deletions[id]?.waiting.cancel()
            await perform(id)
        }
        for task in performing.values { await task.value }
    }

    private func perform(_ id: ID) async {
        guard let deletion = deletions.removeValue(forKey: id) else { return }
        performing[id] = deletion.waiting
        do throws(StoreError) {
            try await deletion.perform()
        } catch {
            deletion.failed(error)
        }
        performing[id] = nil
        show(deletion.messages)
    }

    private func show(_ ids: [MessageID]) {
        // A message can be in several deletions.
        let others = Set(deletions.values.flatMap(\.messages))
        messages.subtract(ids.filter { !others.contains($0) })
    }
}
