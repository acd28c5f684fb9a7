import Synchronization

/// The extensions of one session by their type.
final class ExtensionTable: Sendable {
    private struct State {
        var order: [any SessionExtension] = []
        var byType: [ObjectIdentifier: any SessionExtension] = [:]
    }

    private let state = Mutex(State())

    var all: [any SessionExtension] { state.withLock { $0.order } }

    func add(_ instance: any SessionExtension) {
        state.withLock { state in
            let key = ObjectIdentifier(type(of: instance))
            guard state.byType[key] == nil else { return }
            state.byType[key] = instance
            state.order.append(instance)
        }
    }

    func find<Extension: SessionExtension>(_ type: Extension.Type) -> Extension? {
        state.withLock { $0.byType[ObjectIdentifier(type)] } as? Extension
    }

    /// Lets the extensions go; they hold the session, so both would stay otherwise.
    func removeAll() -> [any SessionExtension] {
        state.withLock { state in
            defer { state = State() }
            return state.order
        }
    }
}
