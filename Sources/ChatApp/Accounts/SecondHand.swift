internal import XMPPClient

extension ConnectionState {
    /// There is no connection, and none is being made.
    var isWaiting: Bool { if case .offline = self { true } else { false } }
}

/// Calls a view every second while something counts down in it.
final class SecondHand {
    private var ticking: Task<Void, Never>?
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    /// - Parameter isNeeded: something counts down.
    func run(_ isNeeded: Bool) {
        if !isNeeded {
            ticking?.cancel()
            ticking = nil
        } else if ticking == nil {
            ticking = Task { [weak self] in
                while (try? await Task.sleep(for: .seconds(1))) != nil { self?.body() }
            }
        }
    }

    isolated deinit { ticking?.cancel() }
}
