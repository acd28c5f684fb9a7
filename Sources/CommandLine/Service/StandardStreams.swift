internal import Foundation
internal import Glibc
internal import Synchronization
internal import UserProfile

/// Standard input and output as a connection to the program that has started this one.
enum StandardStreams {
    /// Answers requests until the input ends or the task is cancelled; those that were read are answered in any case.
    static func serve(_ methods: [ProfileMethod]) async {
        let channel = ByteChannel(input: STDIN_FILENO, output: STDOUT_FILENO)
        let client = ClientConnection(
            channel, Dictionary(methods.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
        await read(channel) { client.received($0) }
        client.inputEnded()
        if !Task.isCancelled { await client.finishRequests() }
        client.end()
        if !Task.isCancelled { await channel.flush() }
    }

    /// Reads until the input ends or the task is cancelled. The thread that reads may outlive this: nothing wakes it.
    static func read(_ channel: ByteChannel, _ body: @escaping @Sendable ([UInt8]) -> Void) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread {
            channel.read(isExpected: { true }, body)
            continuation.finish()
        }
        for await _ in stream {}
    }

    private final class InputEnd: Sendable {
        let isReached = Mutex(false)
    }

    /// Passes everything on between standard input and output and the program that has the profile open, which answers.
    ///
    /// - Returns: whether the input has ended; otherwise the other program has.
    static func relay(to profile: Profile) async -> Bool {
        guard let other = ByteChannel(connectingTo: profile) else { return false }
        let own = ByteChannel(input: STDIN_FILENO, output: STDOUT_FILENO)
        // A client that thinks for some seconds before its first request is not silent.
        other.write([UInt8(ascii: "\n")])
        let end = InputEnd()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await read(own) { other.write($0) }
                // First, because the other program closes the connection as soon as it has read the end and answered:
                // which of the two tasks ends first does not say why.
                end.isReached.withLock { $0 = true }
                other.finishWriting()
            }
            group.addTask { await read(other) { own.write($0) } }
            await group.next()
            // After the input the last answers are passed on.
            if end.isReached.withLock({ $0 }), !Task.isCancelled { await group.next() }
            other.close()
            group.cancelAll()
        }
        let isEnded = end.isReached.withLock { $0 }
        await own.flush()
        return isEnded
    }
}
