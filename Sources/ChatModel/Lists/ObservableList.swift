public import Observation

/// A list that a view shows: the rows as they are, and every change of them as a ``ListDiff``.
///
///     let observation = list.rows.observe { diff in view.apply(diff) }    // ends with the last reference to it
///     view.show(list.rows.elements)
///
/// What an observer has made of the rows and the diffs always equals ``elements``.
@MainActor
@Observable
public final class ObservableList<Element: Identifiable & Equatable & Sendable> where Element.ID: Sendable {
    public private(set) var elements: [Element] = []

    @ObservationIgnored private var observers: [ObjectIdentifier: Reference] = [:]
    @ObservationIgnored private let report: @Sendable (String) -> Void

    private struct Reference {
        weak var observation: ListObservation?
        let body: @MainActor (ListDiff<Element>) -> Void
    }

    init(report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.report = report
    }

    public subscript(id: Element.ID) -> Element? { elements.first { $0.id == id } }

    public func index(of id: Element.ID) -> Int? { elements.firstIndex { $0.id == id } }

    /// Calls `body` on the main actor with each change from now on, as long as the observation is kept.
    public func observe(_ body: @escaping @MainActor (ListDiff<Element>) -> Void) -> ListObservation {
        let observation = ListObservation()
        observers = observers.filter { $0.value.observation != nil }
        observers[ObjectIdentifier(observation)] = Reference(observation: observation, body: body)
        return observation
    }

    /// The changes from now on as a sequence; the first one inserts what is there.
    public func diffs() -> AsyncStream<ListDiff<Element>> {
        let (stream, continuation) = AsyncStream.makeStream(of: ListDiff<Element>.self)
        continuation.yield(ListDiff(from: [], to: elements))
        let observation = observe { continuation.yield($0) }
        // The stream's end is what keeps the observation, so it lasts as long as somebody reads.
        continuation.onTermination = { _ in withExtendedLifetime(observation) {} }
        return stream
    }

    /// Shows other rows. A row that comes twice would confuse every view, so only its first place counts.
    func show(_ rows: [Element]) {
        var seen: Set<Element.ID> = Set(minimumCapacity: rows.count)
        var unique = rows
        if !rows.allSatisfy({ seen.insert($0.id).inserted }) {
            report("A list was given two rows with one identity.")
            seen.removeAll(keepingCapacity: true)
            unique = rows.filter { seen.insert($0.id).inserted }
        }
        show(unique, ListDiff(from: elements, to: unique))
    }

    /// Shows rows without a double, with the steps that lead there from ``elements``.
    func show(_ rows: [Element], _ diff: ListDiff<Element>) {
        guard !diff.isEmpty else { return }
        elements = rows
        for reference in observers.values where reference.observation != nil { reference.body(diff) }
    }
}

/// Keeps an observer of a list; letting go of it ends the observation.
public final class ListObservation: Sendable {
    init() {}
}
