import Testing

@testable import ChatApp

@MainActor
@Suite("The style sheet")
struct StyleTests {
    private func trimmed(_ text: Substring) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(
        "small texts have two sizes and bold ones one weight: each further one costs memory and time at the first paint"
    )
    func fonts() {
        func values(_ property: String) -> [String] {
            Style.rules.split(separator: "\(property):").dropFirst().compactMap { $0.split(separator: ";").first }
                .map { trimmed($0) }
        }
        let sizes = values("font-size").compactMap { Double($0.dropLast()) }
        #expect(sizes.count > 10)
        #expect(Set(sizes.filter { $0 < 100 }).sorted() == [82, 92])
        #expect(Set(values("font-weight")) == ["normal", "700"])
    }

    @Test("a rule for one side is for one direction of text, so that it is on the other side right to left")
    func sides() {
        let rules = Style.rules.split(separator: "}").map { $0.split(separator: "{", maxSplits: 1).map(String.init) }
        #expect(rules.count > 50)
        for rule in rules where rule.count == 2 {
            var sides: [String: [String: String]] = [:]
            for declaration in rule[1].split(separator: ";") {
                let parts = declaration.split(separator: ":", maxSplits: 1).map { trimmed($0) }
                guard parts.count == 2 else { continue }
                let values = parts[1].split(separator: " ").map(String.init)
                if ["padding", "margin"].contains(parts[0]), values.count == 4 {
                    sides[parts[0]] = ["left": values[3], "right": values[1]]
                }
                for side in ["left", "right"] where parts[0].contains("-\(side)") {
                    sides[parts[0].replacing("-\(side)", with: ""), default: [:]][side] = parts[1]
                }
            }
            let isOneSided = sides.values.contains { $0["left"] != $0["right"] }
            #expect(!isOneSided || rule[0].contains(":dir("), "\(trimmed(rule[0][...]))")
        }
    }
}
