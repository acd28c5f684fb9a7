// What a message means is said with the types of MessageSemantics, so whoever imports the store has them.
@_exported public import MessageSemantics

/// The local archive of a chat program: accounts, contacts, rooms, conversations and everything said in them.
///
/// Programs use ``SQLiteStore``, tests also the store in memory of ChatStoreTesting. Both follow the same rules:
///
/// * A message is one row, however often and by whichever way it was seen. It is recognised by the name that an archive
///   gave to it, then by its origin-id together with its sender; never by a name alone that the sender chose.
/// * Its state moves forward only. Its text changes only by its author's correction.
/// * Corrections, reactions, retractions, receipts and markers may come before what they are about; they wait for it.
/// * The order is the archive's, once the archive was asked; the order of arrival until then.
///
/// A transaction is a closure: all of it is kept or nothing. Reading sees one moment of the store, however long it
/// takes, and never waits for writing. Neither runs on the caller's thread.
///
///     let page = try await store.read { store throws(StoreError) in
///         try store.timeline(of: conversation, .newest, limit: 50)
///     }
///     try await store.write { store throws(StoreError) in
///         _ = try store.receive(copy, in: key)
///         try store.saveSession(state, of: account)
///     }
public protocol LocalStore: Sendable {
    /// Reads one moment of the store.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Changes the store: all of it or, when the closure or the disk fails, nothing.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// What is changed from now on, as one value for each time that the observer asks.
    func changes() -> StoreChangeSequence

    /// Ends all work; later calls fail.
    func close() async
}
