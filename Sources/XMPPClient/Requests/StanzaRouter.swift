import XMPPStanzas

/// Finds the one handler of a request, and keeps the requests of each handler in line.
struct StanzaRouter {
    /// How many requests of one kind may wait for their handler. More are refused: a flood must not fill memory.
    static let lineLimit = 64

    enum Route {
        /// There is no handler: answer `service-unavailable`.
        case unhandled
        /// The line is full: answer `resource-constraint`.
        case refused
        /// It waits in a line that is being worked on.
        case queued
        /// Its queue was empty: a task must begin to work on it.
        case start(IQHandler.Key)
    }

    private struct Line {
        var handler: IQHandler
        var waiting: [IQ] = []
        var isWorking = false
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

    /// To whom the handler of a request answers; `nil` where it has none.
    func audience(of iq: IQ) -> IQHandler.Audience? {
        iq.payload.flatMap { lines[IQHandler.Key(type: iq.type, name: $0.name)]?.handler.audience }
    }

    /// Takes a handler away; what waits for it is returned, to be refused.
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
        if line.isWorking { return .queued }
        line.isWorking = true
        return .start(key)
    }

    /// The next request in a line with its handler; `nil` ends the work on the line.
    mutating func next(_ key: IQHandler.Key) -> (IQ, IQHandler)? {
        guard var line = lines.removeValue(forKey: key) else { return nil }
        defer { lines[key] = line }
        guard !line.waiting.isEmpty else {
            line.isWorking = false
            return nil
        }
        return (line.waiting.removeFirst(), line.handler)
    }
}
