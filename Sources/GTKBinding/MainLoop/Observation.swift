internal import Observation

/// Runs a piece of a view's drawing now, and again whenever an observable property that it read has changed.
///
/// However much changes at once, it runs once per iteration of the main loop, before the next layout. It ends with this
/// object.
public final class ViewObservation {
    /// The number of live observations; one that outlives its view is a leak.
    public private(set) static var liveCount = 0

    private var body: (() -> Void)?
    private let ending = Ending()

    fileprivate init(_ body: @escaping () -> Void) {
        self.body = body
        Self.liveCount += 1
    }

    /// Ends the observation before the object is released.
    public func end() {
        body = nil
        ending.hasCome = true
    }

    isolated deinit {
        Self.liveCount -= 1
        ending.hasCome = true
    }

    fileprivate func run() {
        // The change is announced before it is made, on any thread, and once for each tracking.
        track { [weak self] in
            MainLoop.schedule { self?.run() }
        }
    }

    /// The same, but the observed properties retain this object.
    fileprivate func runKept() {
        track {
            MainLoop.schedule { self.runKept() }
        }
    }

    private func track(_ changed: @escaping @Sendable () -> Void) {
        guard let body else { return }
        withObservationTracking(
            {
                _ = ending.hasCome
                body()
            }, onChange: changed)
    }
}

/// A property that all observations read, so that there is something to change at the end: observed properties release
/// an observer only when one of them changes, which is rare for preferences, for example.
@Observable
private final class Ending {
    var hasCome = false
}

/// The observations of owners that do not report their end.
private final class OwnedObservations {
    static let shared = OwnedObservations()

    private struct Entry {
        weak var owner: AnyObject?
        let observation: ViewObservation
    }

    private var entries: [Entry] = []
    private var limit = 64

    /// Observations of released owners never outnumber the live ones by more than a few.
    func add(_ observation: ViewObservation, of owner: AnyObject) {
        entries.append(Entry(owner: owner, observation: observation))
        guard entries.count >= limit else { return }
        for entry in entries where entry.owner == nil { entry.observation.end() }
        entries.removeAll { $0.owner == nil }
        limit = max(64, entries.count * 2)
    }
}

/// Runs `body` now and after every change of what it read, as long as the result is retained.
///
///     observation = observe { [weak self] in self?.title.text = self?.model.title ?? "" }
public func observe(_ body: @escaping () -> Void) -> ViewObservation {
    let observation = ViewObservation(body)
    observation.run()
    return observation
}

/// Runs `body` now and after every change of what it read, as long as `owner` is alive, without retaining it.
///
///     observe(self) { view in view.title.text = view.model.title }
public func observe<Owner: AnyObject>(_ owner: Owner, _ body: @escaping (Owner) -> Void) {
    let observation = ViewObservation { [weak owner] in
        if let owner { body(owner) }
    }
    observation.runKept()
    OwnedObservations.shared.add(observation, of: owner)
}
