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

/// The few steps that turn one list into the next; each is done to the result of the one before.
///
///     old: a b c d      new: d a x c'
///     steps: remove(1..<2) · move(from: 2, to: 0, d) · insert([x], at: 2) · update(c', at: 3)
///
/// What has the same `id` is the same row: it is moved or updated, never removed and inserted. As few rows are moved as
/// is possible, so one that rises to the top is one step however long the list is. Only where more rows change their places
/// than ``stepLimit``, the part of the list in which they are is removed and inserted as a whole.
public struct ListDiff<Element: Identifiable & Equatable & Sendable>: Sendable, Equatable
where Element.ID: Sendable {
    public enum Step: Sendable, Equatable {
        /// Rows go.
        case remove(Range<Int>)
        /// A row goes elsewhere and looks as given from now on; `to` counts without it.
        case move(from: Int, to: Int, Element)
        /// Rows come.
        case insert([Element], at: Int)
        /// A row stays and looks different.
        case update(Element, at: Int)
    }

    public let steps: [Step]

    public var isEmpty: Bool { steps.isEmpty }

    /// Each step costs the length of the list, so that thousands of them would hold up the main loop for seconds; and nobody
    /// can follow hundreds of rows that change their places at once.
    public static var stepLimit: Int { 256 }

    /// The steps from one list to another. In each of them an `id` stands for one element.
    public init(from old: [Element], to new: [Element]) {
        var places: [Element.ID: Int] = Dictionary(minimumCapacity: new.count)
        for (index, element) in new.enumerated() { places[element.id] = index }
        var steps: [Step] = []

        // Where the old elements stand in the new list; those that are gone, from the end, so that numbers stay true.
        var kept: [Int] = []
        var before: [Int: Element] = Dictionary(minimumCapacity: old.count)
        var gone: [Range<Int>] = []
        for (index, element) in old.enumerated() {
            if let place = places[element.id] {
                kept.append(place)
                before[place] = element
            } else if let last = gone.last, last.upperBound == index {
                gone[gone.count - 1] = last.lowerBound..<index + 1
            } else {
                gone.append(index..<index + 1)
            }
        }
        let resting = Self.resting(of: kept) { before[$0] != new[$0] }
        let comings = new.indices.count { before[$0] == nil && ($0 == 0 || before[$0 - 1] != nil) }
        guard gone.count + comings + kept.count - resting.count <= Self.stepLimit else {
            self.steps = Self.replacement(of: old, by: new)
            return
        }
        for range in gone.reversed() { steps.append(.remove(range)) }

        let moved = Self.moves(of: kept, resting, new: new, steps: &steps)

        var index = 0
        while index < new.count {
            let start = index
            while index < new.count, before[index] == nil { index += 1 }
            if index > start { steps.append(.insert(Array(new[start..<index]), at: start)) }
            index += 1
        }
        for (place, element) in new.enumerated() where !moved.contains(place) {
            if let old = before[place], old != element { steps.append(.update(element, at: place)) }
        }
        self.steps = steps
    }

    /// Everything between the rows that both lists begin and end with.
    private static func replacement(of old: [Element], by new: [Element]) -> [Step] {
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start].id == new[start].id { start += 1 }
        var rest = 0
        while rest < shorter - start, old[old.count - 1 - rest].id == new[new.count - 1 - rest].id { rest += 1 }
        var steps: [Step] = []
        if start < old.count - rest { steps.append(.remove(start..<old.count - rest)) }
        if start < new.count - rest { steps.append(.insert(Array(new[start..<new.count - rest]), at: start)) }
        for place in 0..<start where old[place] != new[place] { steps.append(.update(new[place], at: place)) }
        let shift = old.count - new.count
        for place in new.count - rest..<new.count where old[place + shift] != new[place] {
            steps.append(.update(new[place], at: place))
        }
        return steps
    }

    /// Which of the elements that stay need not be moved.
    private static func resting(of kept: [Int], isChanged: (Int) -> Bool) -> Set<Int> {
        var resting = longestRisingRun(of: kept)
        if resting.count == kept.count - 1, let other = kept.first(where: { !resting.contains($0) }) {
            // Of two neighbours that change places either may be moved: the one that looks different, or else the lower one.
            let index = kept.firstIndex(of: other) ?? 0
            let isFirst = index + 1 < kept.count && kept[index + 1] == other - 1
            let isSecond = index > 0 && kept[index - 1] == other + 1
            if isFirst, !isChanged(other) || isChanged(other - 1) {
                resting.insert(other)
                resting.remove(other - 1)
            } else if isSecond, !isChanged(other), isChanged(other + 1) {
                resting.insert(other)
                resting.remove(other + 1)
            }
        }
        return resting
    }

    /// Brings the elements that stay into their order; gives those that were moved.
    private static func moves(
        of kept: [Int], _ resting: Set<Int>, new: [Element], steps: inout [Step]
    ) -> Set<Int> {
        guard resting.count < kept.count else { return [] }
        var moved: Set<Int> = []
        var current = kept
        var previous: Int?
        // Every element that does not rest goes right behind the one that shall precede it; so all before it are in order.
        for place in kept.sorted() {
            defer { previous = place }
            guard !resting.contains(place), let from = current.firstIndex(of: place) else { continue }
            current.remove(at: from)
            let to = previous.flatMap { current.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            current.insert(place, at: to)
            guard from != to else { continue }
            moved.insert(place)
            steps.append(.move(from: from, to: to, new[place]))
        }
        return moved
    }

    /// The largest set of numbers that already stand in rising order.
    private static func longestRisingRun(of numbers: [Int]) -> Set<Int> {
        var tails: [Int] = []
        var previous: [Int?] = Array(repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[tails[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var run: Set<Int> = []
        var next = tails.last
        while let index = next {
            run.insert(numbers[index])
            next = previous[index]
        }
        return run
    }

    /// Does the steps to a list; one that does not fit the list is left out, and `false` is the answer.
    @discardableResult
    public func apply(to list: inout [Element]) -> Bool {
        var fits = true
        for step in steps {
            switch step {
            case .remove(let range) where list.indices.contains(range): list.removeSubrange(range)
            case .move(let from, let to, let element)
            where list.indices.contains(from) && (0..<list.count).contains(to):
                list.remove(at: from)
                list.insert(element, at: to)
            case .insert(let elements, let index) where (0...list.count).contains(index):
                list.insert(contentsOf: elements, at: index)
            case .update(let element, let index) where list.indices.contains(index): list[index] = element
            default: fits = false
            }
        }
        return fits
    }
}
