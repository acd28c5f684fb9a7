import Synchronization

/// The extensions of one session by their type, in the order in which they were added, and the roles that they play in it.
final class ExtensionTable: Sendable {
    /// An extension and its parts in the session.
    struct Entry: Sendable {
        let instance: any SessionExtension
        let work = ExtensionWork()
        var handlers: [IQHandler.Key] = []
        var interceptors: [any StanzaInterceptor] = []

        var key: ObjectIdentifier { ObjectIdentifier(type(of: instance)) }
    }

    private struct State {
        var entries: [Entry] = []
        /// The interceptors of the configuration, which come first.
        var configured: [any StanzaInterceptor] = []
        var interceptors: [any StanzaInterceptor] = []
        var directories: [any PeerDirectory] = []

        /// The interceptors and directories are those of the extensions whose parts were recorded.
        mutating func entriesChanged() {
            interceptors = configured + entries.flatMap(\.interceptors)
            directories = entries.compactMap { $0.instance as? any PeerDirectory }
        }
    }

    private let state = Mutex(State())

    var all: [Entry] { state.withLock { $0.entries } }

    var instances: [any SessionExtension] { state.withLock { $0.entries.map(\.instance) } }

    /// The chain of interceptors, which outgoing stanzas pass on the executor of their sender.
    var interceptors: [any StanzaInterceptor] { state.withLock { $0.interceptors } }

    /// The extensions that know peers.
    var directories: [any PeerDirectory] { state.withLock { $0.directories } }

    /// Begins the chain with the interceptors of the configuration.
    func begin(with interceptors: [any StanzaInterceptor]) {
        state.withLock { state in
            state.configured = interceptors
            state.entriesChanged()
        }
    }

    /// - Returns: `nil` if there is an extension of this type.
    @discardableResult
    func add(_ instance: any SessionExtension) -> Entry? {
        state.withLock { state in
            let entry = Entry(instance: instance)
            guard !state.entries.contains(where: { $0.key == entry.key }) else { return nil }
            state.entries.append(entry)
            return entry
        }
    }

    /// Records what was registered for an extension: from now on its interceptors are in the chain.
    func update(_ key: ObjectIdentifier, handlers: [IQHandler.Key], interceptors: [any StanzaInterceptor]) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.key == key }) else { return }
            state.entries[index].handlers = handlers
            state.entries[index].interceptors = interceptors
            state.entriesChanged()
        }
    }

    func find<Extension: SessionExtension>(_ type: Extension.Type) -> Extension? {
        let key = ObjectIdentifier(type)
        return state.withLock { $0.entries.first { $0.key == key } }?.instance as? Extension
    }

    func remove(_ key: ObjectIdentifier) -> Entry? {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.key == key }) else { return nil }
            defer { state.entriesChanged() }
            return state.entries.remove(at: index)
        }
    }

    /// Releases the extensions, which would otherwise form a reference cycle with the session.
    func removeAll() -> [any SessionExtension] {
        state.withLock { state in
            defer { state = State() }
            return state.entries.map(\.instance)
        }
    }
}

/// The tasks of one extension: those that start it and that of its `run(in:)`. They end when it is removed, and with the
/// session, which waits for them.
///
/// They are not child tasks, because one of several children cannot be cancelled alone.
final class ExtensionWork: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextNumber = 0
        var isOver = false

        mutating func add(_ task: Task<Void, Never>) -> Int {
            nextNumber += 1
            tasks[nextNumber] = task
            return nextNumber
        }
    }

    private let state = Mutex(State())

    /// The work that the current task does for an extension.
    @TaskLocal static var current: ExtensionWork?

    /// Begins a part of the work; does nothing after the extension was removed.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isOver else { return }
            let number = state.nextNumber + 1
            _ = state.add(
                Task.detached {
                    await Self.$current.withValue(self, operation: body)
                    self.ended(number)
                })
        }
    }

    /// Runs a part of the work and returns when it has ended; does nothing after the extension was removed. Cancelling the
    /// task that waits cancels it.
    func run(_ body: @escaping @Sendable () async -> Void) async {
        let begun: (number: Int, task: Task<Void, Never>)? = state.withLock { state in
            guard !state.isOver else { return nil }
            let task = Task { await Self.$current.withValue(self, operation: body) }
            return (state.add(task), task)
        }
        guard let begun else { return }
        await withTaskCancellationHandler {
            await begun.task.value
        } onCancel: {
            begun.task.cancel()
        }
        ended(begun.number)
    }

    private func ended(_ number: Int) { state.withLock { $0.tasks[number] = nil } }

    func cancel() {
        let tasks = state.withLock { state in
            state.isOver = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Cancels the work and returns when it has ended.
    func end() async {
        cancel()
        for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
    }
}
