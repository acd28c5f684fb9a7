internal import Observation

/// Runs a piece of a view's drawing now, and again whenever something observable that it read has changed.
///
/// However much changes at once, it runs once per turn of the main loop, before the next layout. It ends when this
/// object goes.
public final class ViewObservation {
    private var body: (() -> Void)?

    fileprivate init(_ body: @escaping () -> Void) { self.body = body }

    /// Ends it before this object goes.
    public func end() { body = nil }

    fileprivate func run() {
        guard let body else { return }
        // The change is told before it is made and on whatever thread it happens, and once for each tracking.
        withObservationTracking(body) { [weak self] in
            MainLoop.schedule { self?.run() }
        }
    }

    /// As above, and what was read keeps this object.
    fileprivate func runKept() {
        guard let body else { return }
        withObservationTracking(body) {
            MainLoop.schedule { self.runKept() }
        }
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
}
