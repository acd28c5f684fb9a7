import Waiting
import XMPPStanzas

extension Session {
    /// Adds an extension to the running session.
    ///
    ///     let rooms = try await session.add { GroupChat($0) }
    ///
    /// It gets what an extension of the configuration gets at a login: its interceptors join the end of the chain, its
    /// handlers answer, its features are announced (the presence is broadcast again if it was before), its `run(in:)`
    /// begins, and it starts with `isResumed: false`, after those in ``SessionExtension/startsAfter``. An extension that
    /// is added while the session is offline starts with the next connection. Its
    /// ``SessionExtension/bindRequests`` take effect with the next binding. Observers get
    /// ``SessionEvent/extensionAdded(_:)``; extensions of the configuration are there from the beginning, without an
    /// event.
    ///
    /// - Parameter make: Creates the extension, like a factory in ``ClientConfiguration/extensions``.
    /// - Returns: The extension when it has started, or after ``ClientConfiguration/startTimeout``; at once while the
    ///   session is offline, and inside of an interceptor.
    /// - Throws: ``ClientError`` with `extensionExists` if the session has one of this type, `handlerExists` if its
    ///   requests have a handler, `invalidConfiguration` if extensions would wait for each other to start or the
    ///   session is for registration, `sessionEnded`. Then nothing of it remains.
    @discardableResult
    public func add<Extension: SessionExtension>(
        _ make: @Sendable (Session) -> Extension
    ) async throws(ClientError) -> Extension {
        guard !isOver else { throw failure ?? .sessionEnded }
        guard purpose != .registration else {
            throw ClientError(.invalidConfiguration, "A stream for registration has no extensions.")
        }
        guard extensionTable.find(Extension.self) == nil else {
            throw ClientError(.extensionExists, "The session has an extension \(Extension.self) already.")
        }
        let before = features
        let instance = make(self)
        guard let entry = extensionTable.add(instance) else {
            throw ClientError(.extensionExists, "The session has an extension \(Extension.self) already.")
        }
        do throws(ClientError) {
            try requireOrder()
            try plug(instance)
        } catch {
            _ = extensionTable.remove(entry.key)
            throw error
        }
        starts.join(entry.key)
        emit(.extensionAdded(instance))
        flushEventsOutsideOfReading()
        // Before the session works nothing runs; then everything begins together.
        if machine.isWorking { begin(entry) }
        await startAdded(entry)
        await announce(unlike: before)
        return instance
    }

    /// Removes an extension from the running session.
    ///
    /// Nothing of it remains: waiting requests to its handlers are refused, its interceptors leave the chain, its
    /// features are no longer announced (the presence is broadcast again if it was before), its start and its
    /// `run(in:)` are cancelled, and when these have ended it gets ``SessionExtension/sessionEnded(_:)``. Observers get
    /// ``SessionEvent/extensionRemoved(_:)`` before that. An extension may remove itself; then the call returns at once,
    /// and the rest happens when its work has ended.
    ///
    /// - Returns: The removed extension; `nil` if there was none.
    @discardableResult
    public func remove<Extension: SessionExtension>(_ type: Extension.Type) async -> Extension? {
        let before = features
        guard let entry = extensionTable.remove(ObjectIdentifier(type)) else { return nil }
        starts.leave(entry.key)
        for key in entry.handlers { unregister(key) }
        emit(.extensionRemoved(entry.instance))
        flushEventsOutsideOfReading()
        await announce(unlike: before)
        if ExtensionWork.current === entry.work {
            spawn { await self.release(entry) }
        } else {
            await release(entry)
        }
        return entry.instance as? Extension
    }

    private nonisolated func release(_ entry: ExtensionTable.Entry) async {
        await entry.work.end()
        await entry.instance.sessionEnded(self)
    }

    /// Creates the extensions of the configuration and registers their handlers.
    func makeExtensions() throws(ClientError) {
        extensionTable.begin(with: configuration.interceptors)
        guard purpose != .registration else { return }
        for factory in configuration.extensions { extensionTable.add(factory.make(self)) }
        try requireOrder()
        for instance in extensionTable.instances { try plug(instance) }
    }

    /// Begins the work of an extension that lasts as long as the session.
    func begin(_ entry: ExtensionTable.Entry) {
        entry.work.begin { await entry.instance.run(in: self) }
    }

    /// Throws if extensions wait for each other to start.
    func requireOrder() throws(ClientError) {
        guard let cycle = ExtensionStarts.cycle(in: extensionTable.instances) else { return }
        let names = cycle.map { String(describing: Swift.type(of: $0)) }.joined(separator: ", ")
        throw ClientError(.invalidConfiguration, "These extensions wait for each other to start: \(names).")
    }

    /// Registers the handlers of an extension, all or none, and adds its interceptors to the chain.
    func plug(_ instance: any SessionExtension) throws(ClientError) {
        var registered: [IQHandler.Key] = []
        for handler in instance.handlers {
            do throws(ClientError) {
                try router.register(handler)
            } catch {
                for key in registered { unregister(key) }
                throw error
            }
            registered.append(handler.key)
        }
        extensionTable.update(
            ObjectIdentifier(Swift.type(of: instance)), handlers: registered, interceptors: instance.interceptors)
    }

    /// Starts an extension that was added to the current connection, and waits for it as long as a program waits for
    /// those of the configuration.
    private func startAdded(_ entry: ExtensionTable.Entry) async {
        guard let round = starts.round, isOnline else { return }
        let isOver = Gate()
        spawn {
            await self.start(entry, in: round)
            isOver.open()
        }
        // Nothing is read while an interceptor works, so a start that requests something could not end.
        guard SessionContext.interception == nil else { return }
        let due = clock.now().advanced(by: configuration.startTimeout)
        await withTaskGroup(of: Void.self) { [clock, ended] first in
            first.addTask { await isOver.wait() }
            first.addTask { await ended.wait() }
            first.addTask { await clock.sleep(due) }
            await first.next()
            first.cancelAll()
        }
    }

    /// Broadcasts the presence again if the announced features have changed (XEP-0115 §4.4).
    private func announce(unlike before: [String]) async {
        guard isOnline, presence?.type == .available, features != before else { return }
        _ = try? await resendPresence()
    }
}
