import Foundation
import Glibc

/// The table of the matrix: each row is appended to the file that the environment names.
enum MatrixReport {
    static let file = ProcessInfo.processInfo.environment["HONGYAN_MATRIX_FILE"]

    /// The way in, the first login, and the second one after the connection was lost.
    static let columns = [
        ("Server", 14), ("Way", 10), ("TLS", 7), ("First login", 16), ("Profile", 13), ("Trips", 5), ("Binding", 12),
        ("Second login", 16), ("Profile", 13), ("Trips", 5), ("FAST", 4), ("TLS again", 9), ("Resumed", 7),
    ]

    /// Begins with a space, which comes before every row when the lines are sorted.
    private static var heading: String { line([" " + columns[0].0] + columns.dropFirst().map(\.0)) }

    private static func line(_ cells: [String]) -> String {
        zip(cells, columns).map { cell, column in
            cell.padding(toLength: max(cell.count, column.1), withPad: " ", startingAt: 0)
        }.joined(separator: "  ") + "\n"
    }

    static func append(_ cells: [String]) {
        guard let file else { return }
        let descriptor = open(file, O_WRONLY | O_APPEND)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // One write, which the system puts at the end: rows of tests that run beside each other do not mix.
        let bytes = Array((heading + line(cells)).utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
