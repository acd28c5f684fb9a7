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
