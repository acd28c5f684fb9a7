internal import Foundation
internal import Glibc
internal import Synchronization

/// A connection to the program that has a profile open (``ProfileSocket``).
public final class ProfileClient: Sendable {
    /// Called for each notice that precedes the response.
    typealias NoticeHandler = @Sendable (_ line: Data) -> Void

    private struct Call {
        var notice: NoticeHandler
        var answer: CheckedContinuation<Data?, Never>
    }

    private struct State {
        var isOpen = true
        var count = 0
        var calls: [Int: Call] = [:]
    }

    private let connection: SocketLine
    private let state = Mutex(State())

    /// - Returns: `nil` if no program of this user listens.
    public static func connect(to profile: Profile) -> ProfileClient? {
        guard let descriptor = SocketLocation(profile).connect() else { return nil }
        let connection = SocketLine(descriptor)
        guard connection.isFromSameUser else { return nil }
        let client = ProfileClient(connection)
        Thread.detachNewThread {
            _ = connection.read(isExpected: { true }) { client.received($0) }
            client.ended()
        }
        return client
    }

    private init(_ connection: SocketLine) { self.connection = connection }

    public func close() { connection.close() }

    /// Sends a request and waits for the response.
    ///
    /// - Parameter notified: called with each notice that precedes the response.
    /// - Throws: ``ProfileFault``: the failure of the method, or ``ProfileFault/disconnected``.
    public func call<Parameters: Encodable & Sendable, Notice: Codable & Sendable, Result: Codable & Sendable>(
        _ method: String, _ parameters: Parameters, notified: @escaping @Sendable (Notice) -> Void
    ) async throws(ProfileFault) -> Result {
        let line = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(
                    method, parameters,
                    Call(
                        notice: { line in
                            guard let notice = try? JSONDecoder().decode(ProfileCall.Notice<Notice>.self, from: line)
                            else {
                                return
                            }
                            notified(notice.params.value)
                        }, answer: continuation))
            }
        } onCancel: {
            close()
        }
        guard let line else { throw .disconnected }
        guard let answer = try? JSONDecoder().decode(ProfileCall.Answer<Result>.self, from: line) else {
            throw .unreadable
        }
        if let fault = answer.error { throw fault }
        guard let result = answer.result else { throw .unreadable }
        return result
    }

    private func begin(_ method: String, _ parameters: some Encodable, _ call: Call) {
        let number = state.withLock { state -> Int? in
            guard state.isOpen else { return nil }
            state.count += 1
            state.calls[state.count] = call
            return state.count
        }
        guard let number else { return call.answer.resume(returning: nil) }
        connection.write(ProfileCall.encode(ProfileCall.Request(id: number, method: method, params: parameters)))
    }

    private struct NoticeHead: Decodable {
        struct Content: Decodable { var request: Int }
        var params: Content
    }

    private func received(_ line: Data) -> Bool {
        guard let head = try? JSONDecoder().decode(ProfileCall.Head.self, from: line) else { return false }
        if head.method != nil {
            let number = (try? JSONDecoder().decode(NoticeHead.self, from: line))?.params.request
            let handler = number.flatMap { number in state.withLock { $0.calls[number]?.notice } }
            handler?(line)
            return true
        }
        // A response without an id concerns the connection.
        guard let id = head.id else {
            for call in takeAll() { call.answer.resume(returning: line) }
            return false
        }
        state.withLock { $0.calls.removeValue(forKey: id) }?.answer.resume(returning: line)
        return true
    }

    private func ended() {
        connection.close()
        for call in takeAll() { call.answer.resume(returning: nil) }
    }

    private func takeAll() -> [Call] {
        state.withLock { state in
            state.isOpen = false
            defer { state.calls = [:] }
            return Array(state.calls.values)
        }
    }
}
