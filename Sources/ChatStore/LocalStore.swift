// MessageSemantics is re-exported because its types are part of the store's interface.
@_exported public import MessageSemantics

/// The local archive of a chat program: accounts, contacts, rooms, conversations and messages.
///
/// There are two stores: ``SQLiteStore`` in a file, and ``MemoryStore`` for tests and for programs that must leave no
/// trace. Both follow the same rules:
///
/// * A message is one row, however many copies of it arrive and by whichever route. It is recognised by its archive id,
///   then by its origin-id together with its sender; never by an identifier alone that the sender chose.
/// * Its state only moves forward. Its text changes only through a correction by its author.
/// * Corrections, reactions, retractions, receipts and markers may arrive before the message that they refer to; they
///   are stored until it arrives.
/// * The order is that of the archive as soon as the archive was queried, and the order of arrival until then.
///
/// A transaction is a closure: either all of its changes are stored or none. Reading uses one snapshot of the store,
/// however long it takes, and never waits for writing. Neither runs on the caller's thread.
///
///     let page = try await store.read { store throws(StoreError) in
///         try store.timeline(of: conversation, .newest, limit: 50)
///     }
///     try await store.write { store throws(StoreError) in
///         _ = try store.receive(copy, in: key)
///         try store.saveSession(state, of: account)
///     }
public protocol LocalStore: Sendable {
    /// Reads one snapshot of the store.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Changes the store: if the closure throws or the disk fails, nothing is changed.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// The changes from now on; all changes since the previous call of the iterator are joined to one value.
    func changes() -> StoreChangeSequence

    /// Closes the store; later calls fail.
    func close() async
}
