internal import Observation

/// Runs a piece of a view's drawing now, and again whenever something observable that it read has changed.
///
/// However much changes at once, it runs once per turn of the main loop, before the next layout. It ends when this
/// object goes.
public final class ViewObservation {
    /// How many there are; what does not go with its view is a leak.
    public private(set) static var liveCount = 0

    private var body: (() -> Void)?
    private let ending = Ending()

    fileprivate init(_ body: @escaping () -> Void) {
        self.body = body
        Self.liveCount += 1
    }

    /// Ends it before this object goes.
    public func end() {
        body = nil
        ending.hasCome = true
    }

    isolated deinit {
        Self.liveCount -= 1
        ending.hasCome = true
    }

    fileprivate func run() {
        // The change is told before it is made and on whatever thread it happens, and once for each tracking.
        track { [weak self] in
            MainLoop.schedule { self?.run() }
        }
    }

    /// As above, and what was read keeps this object.
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

/// What all that is observed has in common, so that there is something to change at the end: what was read forgets an observer only
/// when something changes, and preferences, for instance, hardly ever do.
@Observable
private final class Ending {
    var hasCome = false
}

/// The observations of owners that nobody tells when they go.
private final class OwnedObservations {
    static let shared = OwnedObservations()

    private struct Entry {
        weak var owner: AnyObject?
        let observation: ViewObservation
    }

    private var entries: [Entry] = []
    private var limit = 64

    /// Those whose owner has gone are never more than those that live, or a few.
    func add(_ observation: ViewObservation, of owner: AnyObject) {
        entries.append(Entry(owner: owner, observation: observation))
        guard entries.count >= limit else { return }
        for entry in entries where entry.owner == nil { entry.observation.end() }
        entries.removeAll { $0.owner == nil }
        limit = max(64, entries.count * 2)
    }
}

/// Runs `body` now and after every change of what it read, as long as the result is kept.
///
///     observation = observe { [weak self] in self?.title.text = self?.model.title ?? "" }
public func observe(_ body: @escaping () -> Void) -> ViewObservation {
    let observation = ViewObservation(body)
    observation.run()
    return observation
}

/// Runs `body` now and after every change of what it read, as long as `owner` lives, which is not kept alive by this.
///
///     observe(self) { view in view.title.text = view.model.title }
public func observe<Owner: AnyObject>(_ owner: Owner, _ body: @escaping (Owner) -> Void) {
    let observation = ViewObservation { [weak owner] in
        if let owner { body(owner) }
    }
    observation.runKept()
    OwnedObservations.shared.add(observation, of: owner)
}
