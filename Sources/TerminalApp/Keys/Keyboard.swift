@preconcurrency internal import Dispatch
internal import Glibc

/// The keyboard input, and changes of the terminal's size.
package struct Keyboard: Sendable {
    enum Event: Sendable {
        case bytes([UInt8])
        case resized
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// Reads `descriptor` until ``stop()`` or its end.
    package init(_ descriptor: Int32 = STDIN_FILENO) {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        self.continuation = continuation
        let queue = DispatchQueue(label: "keyboard")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                continuation.yield(.bytes(Array(buffer.prefix(count))))
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                continuation.finish()
            }
        }
        signal(SIGWINCH, SIG_IGN)
        let size = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
        size.setEventHandler { continuation.yield(.resized) }
        continuation.onTermination = { _ in
            source.cancel()
            size.cancel()
        }
        source.activate()
        size.activate()
    }

    /// Ends the events.
    package func stop() {
        continuation.finish()
    }
}
