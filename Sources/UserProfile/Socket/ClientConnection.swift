internal import Dispatch
package import JSONRPC
internal import Synchronization
internal import Waiting

/// A connected program, and what runs for it.
///
/// Its requests are performed side by side, at most ``JSONRPCConnection/Limits/requests`` at a time.
package final class ClientConnection: ProfileRequestClient {
    private struct State: ~Copyable {
        var rpc = JSONRPCConnection()
        var isOpen = true
        var count = 0
        /// The running requests.
        var tasks: [Int: Task<Void, Never>] = [:]
        /// The work that outlasts its request.
        var work: [String: Task<Void, Never>] = [:]
        /// The running requests that are answered.
        var numbers: [JSONRPCID: Int] = [:]
        /// The requests of this side.
        var questions: [Int: Promise<Result<JSONValue, JSONRPCError>?>] = [:]
        /// What begins when the request with this id is answered.
        var later: [JSONRPCID: Work] = [:]
        /// Whether anything was received.
        var isKnown = false
        var lineBegan: ContinuousClock.Instant?
    }

    private struct Work: Sendable {
        var name: String
        var body: @Sendable () async -> Void
    }

    private let channel: ByteChannel
    private let methods: [String: ProfileMethod]
    private let state = Mutex(State())
    /// Notifications are not answered, so their sender cannot know how many of them wait: it is read more slowly.
    private let notificationRoom = DispatchSemaphore(value: JSONRPCConnection.Limits.standard.requests)

    package init(_ channel: ByteChannel, _ methods: [String: ProfileMethod]) {
        self.channel = channel
        self.methods = methods
    }

    // MARK: Receiving

    /// Blocks while too many notifications of the client wait, so it needs the thread that reads.
    package func received(_ bytes: [UInt8]) {
        let events = state.withLock { state in
            state.isKnown = true
            let events = state.rpc.received(bytes)
            state.lineBegan = state.rpc.isInsideLine ? events.isEmpty ? state.lineBegan ?? .now : .now : nil
            return events
        }
        for event in events { happened(event) }
    }

    package func inputEnded() {
        for event in state.withLock({ $0.rpc.inputEnded() }) { happened(event) }
    }

    /// Whether the client keeps its connection to itself: it has sent nothing yet, or not finished a line in this time.
    func isSilent(for timeout: Duration) -> Bool {
        state.withLock { state in
            if let began = state.lineBegan { return .now - began > timeout }
            return !state.isKnown
        }
    }

    private func happened(_ event: JSONRPCConnection.Event) {
        switch event {
        case .request(let id, let method, let parameters): begin(method, parameters, id)
        case .notification(let method, let parameters):
            notificationRoom.wait()
            begin(method, parameters, nil)
        case .write(let line): channel.write(line)
        case .response(let id, let result): state.withLock { $0.questions.removeValue(forKey: id) }?.fulfil(result)
        case .refused: break
        }
    }

    private func begin(_ name: String, _ parameters: JSONValue, _ id: JSONRPCID?) {
        guard let method = methods[name] else {
            if let id { answer(id, .failure(.unknownMethod)) } else { notificationRoom.signal() }
            return
        }
        let request = ProfileRequest(parameters: parameters, id: id, client: self)
        let isBegun = state.withLock { state in
            guard state.isOpen else { return false }
            state.count += 1
            let number = state.count
            if let id { state.numbers[id] = number }
            state.tasks[number] = Task { await self.perform(method, request, number) }
            return true
        }
        if !isBegun, id == nil { notificationRoom.signal() }
    }

    private func perform(_ method: ProfileMethod, _ request: ProfileRequest, _ number: Int) async {
        defer {
            state.withLock { state in
                state.tasks[number] = nil
                if let id = request.id, state.numbers[id] == number { state.numbers[id] = nil }
            }
            if request.id == nil { notificationRoom.signal() }
        }
        let result: Result<JSONValue, JSONRPCError>
        do throws(JSONRPCError) {
            result = .success(try await method.answer(request))
        } catch {
            result = .failure(error)
        }
        // The client is gone, or the program ends: then the end of the connection informs the client.
        guard let id = request.id, !Task.isCancelled else { return }
        await channel.waitForRoom()
        answer(id, result)
        guard let work = state.withLock({ $0.later.removeValue(forKey: id) }) else { return }
        if case .success = result { begin(work) }
    }

    private func answer(_ id: JSONRPCID, _ result: Result<JSONValue, JSONRPCError>) {
        if let line = state.withLock({ $0.rpc.answer(id, result) }) { channel.write(line) }
    }

    // MARK: For methods

    package func notify(_ method: String, _ parameters: JSONValue) {
        channel.write(JSONRPCConnection.notification(method, parameters))
    }

    package func waitForRoom() async { await channel.waitForRoom() }

    package func run(_ name: String, after id: JSONRPCID?, _ body: @escaping @Sendable () async -> Void) async {
        await stop(name)
        let work = Work(name: name, body: body)
        if let id { state.withLock { $0.later[id] = work } } else { begin(work) }
    }

    private func begin(_ work: Work) {
        state.withLock { state in
            if state.isOpen { state.work[work.name] = Task { await work.body() } }
        }
    }

    package func stop(_ name: String) async {
        let task = state.withLock { $0.work.removeValue(forKey: name) }
        task?.cancel()
        await task?.value
    }

    package func ask(
        _ method: String, _ parameters: JSONValue, within time: Duration
    ) async -> Result<JSONValue, JSONRPCError>? {
        let answer = Promise<Result<JSONValue, JSONRPCError>?>()
        let (id, line) = state.withLock { state in
            let (id, line) = state.rpc.request(method, parameters)
            if state.isOpen { state.questions[id] = answer } else { answer.fulfil(nil) }
            return (id, line)
        }
        channel.write(line)
        let timeout = Task {
            try? await Task.sleep(for: time)
            answer.fulfil(nil)
        }
        let result = await answer.value(cancelled: nil)
        timeout.cancel()
        state.withLock { $0.questions[id] = nil }
        return result
    }

    package func cancel(_ id: JSONRPCID) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.rpc.cancel(id), let number = state.numbers[id] else { return nil }
            return state.tasks[number]
        }
        task?.cancel()
    }

    // MARK: The end

    /// Waits until every request is answered.
    package func finishRequests() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }

    /// Cancels everything that runs for the client.
    package func end() {
        let (tasks, questions) = state.withLock { state in
            state.isOpen = false
            defer { (state.tasks, state.work, state.later) = ([:], [:], [:]) }
            return (Array(state.tasks.values) + Array(state.work.values), Array(state.questions.values))
        }
        for question in questions { question.fulfil(nil) }
        for task in tasks { task.cancel() }
    }
}
