/// A number of bytes in readable form: `812 B`, `12.3 kB`, `4.0 MB`.
package struct ByteCount: CustomStringConvertible {
    private let count: Int

    package init(_ count: some BinaryInteger) {
        self.count = Int(clamping: count)
    }

    package var description: String {
        guard count >= 1000 else { return "\(count) B" }
        var tenths = (count + 50) / 100
        var units = ["kB", "MB", "GB", "TB"][...]
        while tenths >= 10_000, units.count > 1 {
            tenths = (tenths + 500) / 1000
            units = units.dropFirst()
        }
        return "\(tenths / 10).\(tenths % 10) \(units.first ?? "B")"
    }
}

/// A playing time: `0:03`.
package struct PlayingTime: CustomStringConvertible {
    private let seconds: Int

    package init(milliseconds: Int) {
        seconds = (max(milliseconds, 0) + 500) / 1000
    }

    package var description: String {
        "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }
}
