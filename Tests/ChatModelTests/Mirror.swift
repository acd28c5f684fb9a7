import ChatModel

/// A view that only applies diffs.
@MainActor
final class Mirror<Element: Identifiable & Equatable & Sendable> where Element.ID: Sendable {
    private(set) var rows: [Element] = []
    private(set) var steps: [ListDiff<Element>.Step] = []
    private(set) var diffCount = 0
    private(set) var allFit = true
    private var observation: ListObservation?

    init(_ list: ObservableList<Element>) {
        rows = list.elements
        observation = list.observe { [unowned self] diff in
            if !diff.apply(to: &rows) { allFit = false }
            steps += diff.steps
            diffCount += 1
        }
    }

    /// The steps since the last call.
    func takeSteps() -> [ListDiff<Element>.Step] {
        defer { steps = [] }
        return steps
    }
}
