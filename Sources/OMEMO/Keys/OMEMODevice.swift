/// A device id: an integer between 1 and 2³¹−1, unique within an account (XEP-0384 §5.1).
public struct OMEMODevice: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let number: UInt32

    /// `nil` unless `number` is in the range.
    public init?(_ number: UInt32) {
        guard number >= 1, number <= 0x7fff_ffff else { return nil }
        self.number = number
    }

    /// The id that an attribute contains.
    public init?(_ text: String) {
        guard let number = UInt32(text) else { return nil }
        self.init(number)
    }

    /// A random id from the whole range that is not in `taken`.
    public static func random(
        except taken: Set<OMEMODevice> = [], using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> OMEMODevice {
        while true {
            let bytes = try cryptography.randomBytes(4)
            let number = bytes.reduce(0) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
            if let device = OMEMODevice(number), !taken.contains(device) { return device }
        }
    }

    public var description: String { String(number) }

    public static func < (one: OMEMODevice, other: OMEMODevice) -> Bool { one.number < other.number }
}
