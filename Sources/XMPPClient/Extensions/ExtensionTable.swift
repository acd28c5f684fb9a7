import Synchronization

/// The extensions of one session by their type, in the order in which they were added.
final class ExtensionTable: Sendable {
    /// An extension and its parts in the session.
    struct Entry: Sendable {
        let instance: any SessionExtension
        let work = ExtensionWork()
        var handlers: [IQHandler.Key] = []
        var interceptors: [any StanzaInterceptor] = []

        var key: ObjectIdentifier { ObjectIdentifier(type(of: instance)) }
    }

    private let entries = Mutex<[Entry]>([])

    var all: [Entry] { entries.withLock { $0 } }

    var instances: [any SessionExtension] { entries.withLock { $0.map(\.instance) } }

    /// - Returns: `nil` if there is an extension of this type.
    @discardableResult
    func add(_ instance: any SessionExtension) -> Entry? {
        entries.withLock { entries in
            let entry = Entry(instance: instance)
            guard !entries.contains(where: { $0.key == entry.key }) else { return nil }
            entries.append(entry)
            return entry
        }
    }

    /// Records what was registered for an extension.
    func update(_ key: ObjectIdentifier, handlers: [IQHandler.Key], interceptors: [any StanzaInterceptor]) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
            entries[index].handlers = handlers
            entries[index].interceptors = interceptors
        }
    }

    func find<Extension: SessionExtension>(_ type: Extension.Type) -> Extension? {
        let key = ObjectIdentifier(type)
        return entries.withLock { $0.first { $0.key == key } }?.instance as? Extension
    }

    func remove(_ key: ObjectIdentifier) -> Entry? {
        entries.withLock { entries in
            entries.firstIndex { $0.key == key }.map { entries.remove(at: $0) }
        }
    }

    /// Releases the extensions, which would otherwise form a reference cycle with the session.
    func removeAll() -> [any SessionExtension] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries.map(\.instance)
        }
    }
}

/// The tasks of one extension: those that start it and that of its `run(in:)`, which end when it is removed.
///
/// They are not child tasks, because one of several children cannot be cancelled alone. Each is awaited by a child of
/// the session, which passes cancellation on, so that none of them outlives the session.
final class ExtensionWork: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextNumber = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// The work that the current task does for an extension.
    @TaskLocal static var current: ExtensionWork?

    /// Runs a part of the work and returns when it has ended; does nothing after the extension was removed.
    func run(_ body: @escaping @Sendable () async -> Void) async {
        let begun: (number: Int, task: Task<Void, Never>)? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.nextNumber += 1
            let task = Task { await Self.$current.withValue(self, operation: body) }
            state.tasks[state.nextNumber] = task
            return (state.nextNumber, task)
        }
        guard let begun else { return }
        await withTaskCancellationHandler {
            await begun.task.value
        } onCancel: {
            begun.task.cancel()
        }
        state.withLock { _ = $0.tasks.removeValue(forKey: begun.number) }
    }

    /// Cancels the work and returns when it has ended.
    func end() async {
        let tasks = state.withLock { state in
            state.isOver = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
