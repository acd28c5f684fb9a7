import CCurl
import Glibc
import Synchronization

/// The thread that drives all HTTP transfers with curl's multi interface, including file I/O, so that no thread of the
/// concurrency pool and no event loop waits for them. It starts with the first transfer.
final class HTTPEngine: Sendable {
    static let shared = HTTPEngine()

    private enum Command: Sendable {
        case start(HTTPTransfer, CheckedContinuation<HTTPTransfer.Outcome, Never>)
        case cancel(HTTPTransfer)
    }

    private struct Running {
        var transfer: HTTPTransfer
        var continuation: CheckedContinuation<HTTPTransfer.Outcome, Never>
    }

    private let commands = Mutex<[Command]>([])
    /// `nonisolated(unsafe)`: never changes; other threads call only `curl_multi_wakeup` on it, which is thread-safe.
    nonisolated(unsafe) private let multi: UnsafeMutableRawPointer

    private init() {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard let multi = curl_multi_init() else { preconditionFailure("curl cannot be started: out of memory") }
        self.multi = multi
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<HTTPEngine>.fromOpaque(argument).takeRetainedValue().work()
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "no transfers: the process cannot start a thread")
        pthread_detach(thread)
    }

    func run(_ transfer: HTTPTransfer) async -> HTTPTransfer.Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { send(.start(transfer, $0)) }
        } onCancel: {
            send(.cancel(transfer))
        }
    }

    private func send(_ command: Command) {
        commands.withLock { $0.append(command) }
        curl_multi_wakeup(multi)
    }

    private func work() -> Never {
        var running: [ObjectIdentifier: Running] = [:]
        // A cancellation may arrive before the start if the task was already cancelled.
        var cancelled: Set<ObjectIdentifier> = []
        while true {
            let batch = commands.withLock { commands in
                defer { commands = [] }
                return commands
            }
            for command in batch {
                switch command {
                case .cancel(let transfer):
                    let identifier = ObjectIdentifier(transfer)
                    if let entry = running.removeValue(forKey: identifier) {
                        end(entry, .cancelledByTask)
                    } else if !transfer.wasStarted {
                        cancelled.insert(identifier)
                    }
                case .start(let transfer, let continuation):
                    transfer.wasStarted = true
                    let entry = Running(transfer: transfer, continuation: continuation)
                    if cancelled.remove(ObjectIdentifier(transfer)) != nil {
                        end(entry, .cancelledByTask)
                    } else {
                        do throws(TransportError) {
                            curl_multi_add_handle(multi, try transfer.prepare())
                            running[ObjectIdentifier(transfer)] = entry
                        } catch {
                            end(entry, error)
                        }
                    }
                }
            }
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            collect(&running)
            endStalled(&running)
            curl_multi_poll(multi, nil, 0, Self.wait(running), nil)
        }
    }

    private func collect(_ running: inout [ObjectIdentifier: Running]) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            let result = curl_message_result(message)
            let handle = message.pointee.easy_handle
            curl_multi_remove_handle(multi, handle)
            guard let entry = running.values.first(where: { $0.transfer.handle == handle }) else { continue }
            running[ObjectIdentifier(entry.transfer)] = nil
            entry.continuation.resume(returning: entry.transfer.finish(result))
        }
    }

    private func endStalled(_ running: inout [ObjectIdentifier: Running]) {
        let now = ContinuousClock.now
        for (identifier, entry) in running where entry.transfer.lastActivity + entry.transfer.configuration.stall <= now
        {
            running[identifier] = nil
            end(
                entry,
                TransportError(
                    .timedOut,
                    "Nothing moved for \(entry.transfer.configuration.stall) between here and \(entry.transfer.target.host)."
                ))
        }
    }

    private func end(_ entry: Running, _ error: TransportError) {
        if let handle = entry.transfer.handle { curl_multi_remove_handle(multi, handle) }
        entry.continuation.resume(returning: entry.transfer.fail(error))
    }

    /// Waits until the next transfer may have stalled; a command or the network ends the wait earlier.
    private static func wait(_ running: [ObjectIdentifier: Running]) -> Int32 {
        let now = ContinuousClock.now
        let next = running.values.map { now.duration(to: $0.transfer.lastActivity + $0.transfer.configuration.stall) }
            .min()
        guard let next else { return Int32.max }
        return Int32(clamping: max(0, next.milliseconds))
    }
}
