/// Makes the ids of one session: a part drawn by chance, so that no two sessions share one, and a count.
struct IdentifierSource {
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

    private let prefix: String
    private var count: UInt64 = 0

    init(using generator: inout some RandomNumberGenerator) {
        // Eight characters are 40 bits, and short enough that an id needs no memory of its own for the first million.
        prefix = String((0..<8).map { _ in Self.digits.randomElement(using: &generator) ?? "0" })
    }

    mutating func next() -> String {
        count += 1
        return "\(prefix)-\(String(count, radix: 36))"
    }
}
