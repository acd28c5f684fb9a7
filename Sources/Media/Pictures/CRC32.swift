/// The checksum at the end of every PNG chunk (W3C Portable Network Graphics §5.5).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
    }
}
