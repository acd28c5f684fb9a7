import Foundation
import Glibc

/// The table of the matrix: each row is appended to the file named by the environment.
enum MatrixReport {
    static let file = ProcessInfo.processInfo.environment["HONGYAN_MATRIX_FILE"]

    /// The transport, the first login, and the second one after the connection was lost.
    static let columns = [
        ("Server", 14), ("Way", 10), ("TLS", 7), ("First login", 16), ("Profile", 13), ("Trips", 5), ("Binding", 12),
        ("Second login", 16), ("Profile", 13), ("Trips", 5), ("FAST", 4), ("TLS again", 9), ("Resumed", 7),
    ]

    /// Starts with a space, so that it is first when the lines are sorted.
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
        // A single write, which the system appends: rows of concurrent tests are not mixed.
        let bytes = Array((heading + line(cells)).utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
