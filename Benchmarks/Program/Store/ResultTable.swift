import Foundation

/// The results, a row for each operation and a column for each store: wall clock (and processor time), and the factor
/// by which the first store is better in each.
struct ResultTable {
    private struct Row {
        let unit: String
        let target: Double?
        var cells: [Cost?]
        var notes: [String?]
    }

    private let subjects: [String]
    private var names: [String] = []
    private var rows: [String: Row] = [:]

    init(subjects: [String]) { self.subjects = subjects }

    mutating func set(
        _ name: String, _ unit: String, target: Double? = nil, _ column: Int, _ cost: Cost?, note: String? = nil
    ) {
        let empty = Row(
            unit: unit, target: target, cells: Array(repeating: nil, count: subjects.count),
            notes: Array(repeating: nil, count: subjects.count))
        if rows[name] == nil { names.append(name) }
        rows[name, default: empty].cells[column] = cost
        rows[name, default: empty].notes[column] = note
        if let cost { print("\(subjects[column]): \(name): \(Self.text(cost)) \(unit) \(note ?? "")") }
    }

    func show() {
        let ratios = subjects.dropFirst().map { "× \($0)" }
        var lines = [["", "target"] + subjects + ratios]
        for name in names {
            guard let row = rows[name] else { continue }
            let isRate = row.unit.hasSuffix("/s")
            var line = ["\(name), \(row.unit)"]
            line.append(row.target.map { (isRate ? "≥ " : "≤ ") + Self.number($0) } ?? "")
            for (cell, note) in zip(row.cells, row.notes) {
                line.append((cell.map(Self.text) ?? "–") + (note.map { ", \($0)" } ?? ""))
            }
            for other in row.cells.dropFirst() {
                guard let first = row.cells.first ?? nil, let other else {
                    line.append("–")
                    continue
                }
                line.append(Self.text(isRate ? first.divided(by: other) : other.divided(by: first)))
            }
            lines.append(line)
        }
        let widths = lines.reduce(into: Array(repeating: 0, count: lines[0].count)) { widths, line in
            for (column, text) in line.enumerated() { widths[column] = max(widths[column], text.count) }
        }
        print("\nMedians of the time one waits (and of the processor's time):\n")
        for (number, line) in lines.enumerated() {
            let cells = zip(line, widths).map { text, width in text + String(repeating: " ", count: width - text.count)
            }
            print("| " + cells.joined(separator: " | ") + " |")
            if number == 0 {
                print("| " + widths.map { String(repeating: "-", count: $0) }.joined(separator: " | ") + " |")
            }
        }
    }

    private static func text(_ cost: Cost) -> String {
        cost.processor > 0 ? "\(number(cost.wall)) (\(number(cost.processor)))" : number(cost.wall)
    }

    private static func number(_ value: Double) -> String {
        switch value {
        case 100...: String(Int(value.rounded()))
        case 10..<100: String(format: "%.1f", value)
        default: String(format: "%.2f", value)
        }
    }
}

extension Cost {
    fileprivate func divided(by other: Cost) -> Cost {
        Cost(wall: wall / other.wall, processor: other.processor > 0 ? processor / other.processor : 0)
    }
}
