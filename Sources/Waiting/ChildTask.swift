/// Runs a function as a child task. A task keeps the memory that its functions have needed once for its whole life, so one that
/// waits for days lets a child do what needs much of it.
package func inChildTask<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () async -> Result
) async -> Result {
    await withTaskGroup(of: Result.self, isolation: isolation) { group in
        group.addTask(operation: body)
        for await result in group { return result }
        preconditionFailure("A child task returns a result.")
    }
}
