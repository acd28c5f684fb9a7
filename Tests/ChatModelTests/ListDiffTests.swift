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
