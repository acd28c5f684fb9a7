import ChatFixtures
import ChatModel
import Testing

@Suite("Differences of lists")
struct ListDiffTests {
    struct Row: Identifiable, Equatable, Sendable {
        let id: Int
        var look = 0
    }

    static func rows(_ ids: [Int]) -> [Row] { ids.map { Row(id: $0) } }

    @Test("S2-35: one that rises to the top is one move, however long the list is")
    func rise() {
        let old = Self.rows(Array(0..<1000))
        let new = Self.rows([700] + (0..<700) + (701..<1000))
        #expect(ListDiff(from: old, to: new).steps == [.move(from: 700, to: 0, Row(id: 700))])
    }

    @Test("S2-35: a move brings the new look with it")
    func riseAndChange() {
        let new = [Row(id: 2, look: 1), Row(id: 0), Row(id: 1)]
        #expect(
            ListDiff(from: Self.rows([0, 1, 2]), to: new).steps == [.move(from: 2, to: 0, Row(id: 2, look: 1))])
    }

    @Test("S1-25: a new row is one insertion at its place")
    func insertion() {
        #expect(
            ListDiff(from: Self.rows([1, 3]), to: Self.rows([1, 2, 3])).steps == [.insert([Row(id: 2)], at: 1)])
    }

    @Test("neighbours come and go in one step")
    func runs() {
        #expect(
            ListDiff(from: Self.rows([1, 2, 3, 4]), to: Self.rows([1, 8, 9, 4])).steps
                == [.remove(1..<3), .insert([Row(id: 8), Row(id: 9)], at: 1)])
    }

    @Test("equal lists have no steps")
    func same() {
        #expect(ListDiff(from: Self.rows([1, 2]), to: Self.rows([1, 2])).isEmpty)
    }

    /// Lists before and after: all but the ends turned round, each second one new, few left.
    private static let replacements: [([Int], [Int])] = {
        let all = Array(0..<20_000)
        let turned = all.map { (row: Int) -> Int in row < 100 || row >= 19_900 ? row : 20_000 - row }
        let halves = all.filter { (row: Int) -> Bool in row % 2 == 0 }
        let few = [0] + all[10_000..<15_000].filter { (row: Int) -> Bool in row % 3 == 0 }
        return [(all, turned), (halves, all), (all, few)]
    }()

    @Test(
        "where more rows change their places than can be followed, the part in which they are is replaced as a whole",
        arguments: ListDiffTests.replacements)
    func replacement(before: [Int], after: [Int]) {
        let old = Self.rows(before)
        let new = after.enumerated().map { Row(id: $1, look: $0 < 5 ? 1 : 0) }
        let diff = ListDiff(from: old, to: new)
        let places = diff.steps.count { if case .update = $0 { false } else { true } }
        #expect(places <= 2)
        #expect(diff.steps.count <= 2 + 5)
        var result = old
        #expect(diff.apply(to: &result) && result == new)
    }

    @Test("as many rows as can be followed are still moved one by one")
    func limit() {
        let limit = ListDiff<Row>.stepLimit
        for (count, isReplaced) in [(limit, false), (limit + 1, true)] {
            let old = Self.rows((0..<count).map { $0 * 2 })
            let diff = ListDiff(from: old, to: Self.rows((0..<count).flatMap { [$0 * 2, $0 * 2 + 1] }))
            #expect(diff.steps.count == (isReplaced ? 2 : limit))
        }
    }

    @Test("a step that does not fit is left out and told")
    func misfit() {
        var list = Self.rows([1])
        let diff = ListDiff(from: Self.rows([1, 2, 3]), to: Self.rows([1, 3]))
        #expect(!diff.apply(to: &list))
        #expect(list == Self.rows([1]))
    }

    @Test(
        "S0-89: random lists: the steps done to the old one give the new one, with the fewest moves", arguments: 0..<8)
    func walk(seed: UInt64) {
        var generator = SeededGenerator(seed: seed + 1)
        for _ in 0..<500 {
            let pool = Int.random(in: 1...14, using: &generator)
            func list() -> [Row] {
                (0..<pool).shuffled(using: &generator).filter { _ in Bool.random(using: &generator) }
                    .map { Row(id: $0, look: Int.random(in: 0...1, using: &generator)) }
            }
            let old = list()
            let new = list()
            let diff = ListDiff(from: old, to: new)
            var result = old
            #expect(diff.apply(to: &result))
            #expect(result == new, "\(old) → \(new): \(diff.steps)")
            let kept = old.map(\.id).compactMap { id in new.firstIndex { $0.id == id } }
            let moves = diff.steps.count { if case .move = $0 { true } else { false } }
            #expect(moves <= kept.count - Self.longestRise(kept))
        }
    }

    /// By trying, in quadratic time.
    static func longestRise(_ numbers: [Int]) -> Int {
        var best: [Int] = []
        for (index, number) in numbers.enumerated() {
            best.append(1 + (0..<index).filter { numbers[$0] < number }.map { best[$0] }.reduce(0, max))
        }
        return best.max() ?? 0
    }
}
