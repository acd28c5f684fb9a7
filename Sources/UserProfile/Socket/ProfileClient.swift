internal import Foundation
public import JSONRPC
internal import Synchronization

/// A connection to the program that has a profile open (``ProfileSocket``).
public final class ProfileClient: Sendable {
    private struct Call {
        /// Called with each notice that precedes the response.
        var notified: @Sendable (JSONValue) -> Void
        var answer: CheckedContinuation<Result<JSONValue, JSONRPCError>, Never>
    }

    private struct State: ~Copyable {
        var isOpen = true
        var rpc = JSONRPCConnection()
        var calls: [Int: Call] = [:]
    }

    private let channel: ByteChannel
    private let notified: @Sendable (String, JSONValue) -> Void
    private let state = Mutex(State())

    /// - Parameter notified: called with each notification that belongs to no request.
    /// - Returns: `nil` if no program of this user listens.
    public static func connect(
        to profile: Profile, notified: @escaping @Sendable (String, JSONValue) -> Void = { _, _ in }
    ) -> ProfileClient? {
        guard let channel = ByteChannel(connectingTo: profile) else { return nil }
        let client = ProfileClient(channel, notified)
        Thread.detachNewThread {
            channel.read(isExpected: { true }) { client.received($0) }
            client.ended()
        }
        return client
    }

    private init(_ channel: ByteChannel, _ notified: @escaping @Sendable (String, JSONValue) -> Void) {
        self.channel = channel
        self.notified = notified
    }

    public func close() { channel.close() }

    /// Sends a request and waits for the response.
    ///
    /// - Parameter notified: called with each notice that precedes the response.
    /// - Throws: the failure of the method, or `JSONRPCError.disconnected`.
    public func call<Parameters: Encodable & Sendable, Notice: Decodable & Sendable, Value: Decodable & Sendable>(
        _ method: String, _ parameters: Parameters, notified: @escaping @Sendable (Notice) -> Void
    ) async throws(JSONRPCError) -> Value {
        let result = try await call(method, JSONValue(encoding: parameters)) { value in
            let notice: Notice? = value.decoded()
            if let notice { notified(notice) }
        }
        // A single value is no document for a decoder.
        let values: [Value]? = JSONValue.array([result]).decoded()
        guard let value = values?.first else { throw .unreadable() }
        return value
    }

    /// Sends a request and waits for the response.
    public func call(
        _ method: String, _ parameters: JSONValue, notified: @escaping @Sendable (JSONValue) -> Void = { _ in }
    ) async throws(JSONRPCError) -> JSONValue {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(method, parameters, Call(notified: notified, answer: continuation))
            }
        } onCancel: {
            close()
        }
        return try result.get()
    }

    private func begin(_ method: String, _ parameters: JSONValue, _ call: Call) {
        let line = state.withLock { state -> [UInt8]? in
            guard state.isOpen else { return nil }
            let (id, line) = state.rpc.request(method, parameters)
            state.calls[id] = call
            return line
        }
        guard let line else { return call.answer.resume(returning: .failure(.disconnected)) }
        channel.write(line)
    }

    private func received(_ bytes: [UInt8]) {
        for event in state.withLock({ $0.rpc.received(bytes) }) {
            switch event {
            case .response(let id, let result):
                state.withLock { $0.calls.removeValue(forKey: id) }?.answer.resume(returning: result)
            case .notification(let method, let parameters):
                if let id = parameters["request"]?.integer {
                    state.withLock { $0.calls[id] }?.notified(parameters["value"] ?? .null)
                } else {
                    notified(method, parameters)
                }
            // It concerns the connection.
            case .refused(let error): end(error)
            // The other program talks nonsense.
            case .write, .request: channel.close()
            }
        }
    }

    private func ended() {
        channel.close()
        end(.disconnected)
    }

    private func end(_ error: JSONRPCError) {
        let calls = state.withLock { state in
            state.isOpen = false
            defer { state.calls = [:] }
            return Array(state.calls.values)
        }
        for call in calls { call.answer.resume(returning: .failure(error)) }
    }
}
