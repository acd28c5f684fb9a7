public import Observation

/// A list for a view: the rows, and every change of them as a ``ListDiff``.
///
///     let observation = list.rows.observe { diff in view.apply(diff) }    // ends with the last reference to it
///     view.show(list.rows.elements)
///
/// Applying the diffs to the rows always gives ``elements``.
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

    /// Calls `body` on the main actor with each change, as long as the result is retained.
    public func observe(_ body: @escaping @MainActor (ListDiff<Element>) -> Void) -> ListObservation {
        let observation = ListObservation()
        observers = observers.filter { $0.value.observation != nil }
        observers[ObjectIdentifier(observation)] = Reference(observation: observation, body: body)
        return observation
    }

    /// Replaces the rows. A duplicate would confuse views, so only its first occurrence counts.
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

    /// Replaces the rows, given a diff from ``elements`` and no duplicates.
    func show(_ rows: [Element], _ diff: ListDiff<Element>) {
        guard !diff.isEmpty else { return }
        elements = rows
        for reference in observers.values where reference.observation != nil { reference.body(diff) }
    }
}

/// An observation of a list; it ends when it is released.
public final class ListObservation: Sendable {
    init() {}
}

/// The steps that turn one list into another; each applies to the result of the one before.
///
///     old: a b c d      new: d a x c'
///     steps: remove(1..<2) · move(from: 2, to: 0, d) · insert([x], at: 2) · update(c', at: 3)
///
/// Elements with the same `id` are the same row: they are moved or updated, never removed and inserted. The number of
/// moves is minimal, so a row that rises to the top is one step in a list of any length. If more than ``stepLimit``
/// rows move, the part of the list that contains them is removed and inserted as a whole.
public struct ListDiff<Element: Identifiable & Equatable & Sendable>: Sendable, Equatable
where Element.ID: Sendable {
    public enum Step: Sendable, Equatable {
        /// Rows are removed.
        case remove(Range<Int>)
        /// A row is moved and replaced by the given element; `to` is counted without it.
        case move(from: Int, to: Int, Element)
        /// Rows are inserted.
        case insert([Element], at: Int)
        /// A row is replaced in place.
        case update(Element, at: Int)
    }

    public let steps: [Step]

    public var isEmpty: Bool { steps.isEmpty }

    /// Each step costs time proportional to the length of the list, so thousands would block the main loop for seconds.
    public static var stepLimit: Int { 256 }

    /// Computes the steps. Each `id` must occur once per list.
    public init(from old: [Element], to new: [Element]) {
        var places: [Element.ID: Int] = Dictionary(minimumCapacity: new.count)
        for (index, element) in new.enumerated() { places[element.id] = index }
        var steps: [Step] = []

        // The new indices of the elements that stay. Removed elements are processed from the end, so that indices stay
        // valid.
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
        let stationary = Self.stationary(of: kept) { before[$0] != new[$0] }
        let comings = new.indices.count { before[$0] == nil && ($0 == 0 || before[$0 - 1] != nil) }
        guard gone.count + comings + kept.count - stationary.count <= Self.stepLimit else {
            self.steps = Self.replacement(of: old, by: new)
            return
        }
        for range in gone.reversed() { steps.append(.remove(range)) }

        let moved = Self.moves(of: kept, stationary, new: new, steps: &steps)

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

    /// Replaces everything between the common prefix and the common suffix.
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

    /// The elements that need not be moved.
    private static func stationary(of kept: [Int], isChanged: (Int) -> Bool) -> Set<Int> {
        var stationary = longestIncreasingSubsequence(of: kept)
        if stationary.count == kept.count - 1, let other = kept.first(where: { !stationary.contains($0) }) {
            // When two neighbours swap, either can move: the one that changed, or else the lower one.
            let index = kept.firstIndex(of: other) ?? 0
            let isFirst = index + 1 < kept.count && kept[index + 1] == other - 1
            let isSecond = index > 0 && kept[index - 1] == other + 1
            if isFirst, !isChanged(other) || isChanged(other - 1) {
                stationary.insert(other)
                stationary.remove(other - 1)
            } else if isSecond, !isChanged(other), isChanged(other + 1) {
                stationary.insert(other)
                stationary.remove(other + 1)
            }
        }
        return stationary
    }

    /// Moves the elements that stay into their new order; returns the moved ones.
    private static func moves(
        of kept: [Int], _ stationary: Set<Int>, new: [Element], steps: inout [Step]
    ) -> Set<Int> {
        guard stationary.count < kept.count else { return [] }
        var moved: Set<Int> = []
        var current = kept
        var previous: Int?
        // Each moving element goes right behind its new predecessor, so everything before it is in order.
        for place in kept.sorted() {
            defer { previous = place }
            guard !stationary.contains(place), let from = current.firstIndex(of: place) else { continue }
            current.remove(at: from)
            let to = previous.flatMap { current.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            current.insert(place, at: to)
            guard from != to else { continue }
            moved.insert(place)
            steps.append(.move(from: from, to: to, new[place]))
        }
        return moved
    }

    /// The longest increasing subsequence.
    private static func longestIncreasingSubsequence(of numbers: [Int]) -> Set<Int> {
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

    /// Applies the steps to a list. Returns `false` if one does not fit; that step is skipped.
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
