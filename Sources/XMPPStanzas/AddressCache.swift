import XMLStreaming
import XMPPAddress

/// The addresses seen last, so that one that comes again costs a hash and a comparison instead of a preparation.
///
/// A stream carries few addresses many times. The cache is direct-mapped: an address has one place, and a newcomer
/// takes it. It holds at most ``slotCount`` addresses and allocates nothing before the first one.
struct AddressCache: Sendable {
    /// A power of two; 64 places hold the active contacts of an account in a few KiB.
    static let slotCount = 64

    private struct Slot: Sendable {
        var bytes: [UInt8]
        var address: JID
    }

    private var slots: [Slot?] = []
    private let keeps: Bool

    /// A cache for one decoding only: it keeps nothing.
    init() { keeps = false }

    init(keeping: Void) { keeps = true }

    /// The address in attribute `name`, or `nil` without the attribute.
    mutating func address(in name: String, of element: XMLElement) throws(XMLDecodingError) -> JID? {
        let found: Result<JID, AddressError>? = element.withAttributeUTF8(name) { bytes in
            keeps ? lookUp(bytes) : Result { () throws(AddressError) in try JID(utf8: bytes) }
        }
        switch found {
        case nil: return nil
        case .success(let address): return address
        case .failure:
            throw XMLDecodingError(element.name, .invalidAttribute(name, value: element[name] ?? ""))
        }
    }

    private mutating func lookUp(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<JID, AddressError> {
        if slots.isEmpty { slots = Array(repeating: nil, count: Self.slotCount) }
        let index = Self.index(of: bytes)
        if let slot = slots[index], slot.bytes.count == bytes.count, slot.bytes.elementsEqual(bytes) {
            return .success(slot.address)
        }
        let result = Result { () throws(AddressError) in try JID(utf8: bytes) }
        if case .success(let address) = result {
            slots[index] = Slot(bytes: Array(bytes), address: address)
        }
        return result
    }

    /// Mixes eight bytes at a time; the tail is taken byte by byte.
    private static func index(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var hash = UInt64(truncatingIfNeeded: bytes.count)
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset &+ 8 <= raw.count {
            hash = (hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash &>> 29
            offset &+= 8
        }
        while offset < raw.count {
            hash = (hash ^ UInt64(raw[offset])) &* 0x9E37_79B9_7F4A_7C15
            offset &+= 1
        }
        return Int(truncatingIfNeeded: hash &>> 40) & (slotCount &- 1)
    }
}
