/// Runs asynchronous operations one after another, in the order in which they were requested.
///
/// A model reads the store, which suspends, and then shows the result; two such operations must not overtake each
/// other.
@MainActor
final class Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take<Result, Failure: Error>(
        _ body: @MainActor () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
        defer {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
        return try await body()
    }
}
