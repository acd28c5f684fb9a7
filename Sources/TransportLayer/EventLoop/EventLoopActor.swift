/// An actor whose executor is an event loop.
package protocol EventLoopActor: Actor {
    nonisolated var loop: EventLoop { get }
}

extension EventLoopActor {
    /// Runs a closure as a part of the actor. The caller must be on the thread of the loop, or the program ends.
    ///
    /// It is `assumeIsolated(_:)`, which asks the runtime for the current executor and finds the same answer by a longer way: it
    /// takes ten times as many instructions, and a message that is received and answered needs it twenty times. A closure
    /// that captures nothing, and gets what it needs as an argument, allocates nothing either.
    package nonisolated func onLoop<Argument, Result, Failure: Error>(
        _ argument: Argument, _ body: @escaping (isolated Self, Argument) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(loop.isCurrent, "this code must run on the thread of its event loop")
        // The thread runs nothing else of this actor meanwhile: all its jobs run on that thread, one after the other. The cast only
        // removes the isolation from the type, as in the standard library.
        return try unsafeBitCast(
            IsolatedCallWithArgument(call: body), to: PlainCallWithArgument<Self, Argument, Result, Failure>.self
        ).call(self, argument)
    }

    /// The same without an argument.
    package nonisolated func onLoop<Result, Failure: Error>(
        _ body: @escaping (isolated Self) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(loop.isCurrent, "this code must run on the thread of its event loop")
        return try unsafeBitCast(IsolatedCall(call: body), to: PlainCall<Self, Result, Failure>.self).call(self)
    }
}

// Closures in structs, which `unsafeBitCast(_:to:)` gets without an allocation: as arguments of a generic function closures
// are wrapped in other ones.

private struct IsolatedCallWithArgument<Target: Actor, Argument, Result, Failure: Error> {
    let call: (isolated Target, Argument) throws(Failure) -> Result
}

private struct PlainCallWithArgument<Target: Actor, Argument, Result, Failure: Error> {
    let call: (Target, Argument) throws(Failure) -> Result
}

private struct IsolatedCall<Target: Actor, Result, Failure: Error> {
    let call: (isolated Target) throws(Failure) -> Result
}

private struct PlainCall<Target: Actor, Result, Failure: Error> {
    let call: (Target) throws(Failure) -> Result
}
