import XMPPStanzas

/// Finds the handler of a request, and queues the requests of each handler.
struct StanzaRouter {
    /// The maximum number of waiting requests per handler. More are refused, because a flood must not fill memory.
    static let lineLimit = 64

    enum Route {
        /// There is no handler: answer `service-unavailable`.
        case unhandled
        /// The queue is full: answer `resource-constraint`.
        case refused
        /// It was added to a queue that is being processed.
        case queued
        /// Fewer requests are being answered than the handler allows: start a task that processes the queue.
        case start(IQHandler.Key)
    }

    private struct Line {
        var handler: IQHandler
        var waiting: [IQ] = []
        /// The tasks that process the queue.
        var workers = 0
    }

    private var lines: [IQHandler.Key: Line] = [:]

    var features: Set<String> { Set(lines.values.compactMap(\.handler.feature)) }

    mutating func register(_ handler: IQHandler) throws(ClientError) {
        guard lines[handler.key] == nil else {
            throw ClientError(
                .handlerExists,
                "Requests of type \(handler.key.type.rawValue) with \(handler.key.name) have a handler already.")
        }
        lines[handler.key] = Line(handler: handler)
    }

    /// The audience of the handler of a request; `nil` without a handler.
    func audience(of iq: IQ) -> IQHandler.Audience? {
        iq.payload.flatMap { lines[IQHandler.Key(type: iq.type, name: $0.name)]?.handler.audience }
    }

    /// Removes a handler; returns its waiting requests, which must be refused.
    mutating func unregister(_ key: IQHandler.Key) -> [IQ] {
        lines.removeValue(forKey: key)?.waiting ?? []
    }

    mutating func requestReceived(_ iq: IQ) -> Route {
        guard let payload = iq.payload else { return .unhandled }
        let key = IQHandler.Key(type: iq.type, name: payload.name)
        guard var line = lines.removeValue(forKey: key) else { return .unhandled }
        defer { lines[key] = line }
        guard line.waiting.count < Self.lineLimit else { return .refused }
        line.waiting.append(iq)
        if line.workers >= line.handler.width { return .queued }
        line.workers += 1
        return .start(key)
    }

    /// The next request in a queue with its handler; `nil` ends the processing of the queue.
    mutating func next(_ key: IQHandler.Key) -> (IQ, IQHandler)? {
        guard var line = lines.removeValue(forKey: key) else { return nil }
        defer { lines[key] = line }
        guard !line.waiting.isEmpty else {
            line.workers -= 1
            return nil
        }
        return (line.waiting.removeFirst(), line.handler)
    }
}
