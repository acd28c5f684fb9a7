import XMLStreaming
import XMPPAddress

/// The most recent addresses, so that a repeated address costs a hash and a comparison instead of a preparation.
///
/// A stream carries few addresses many times. Each address has a pair of slots; a new address replaces the older one of
/// its pair. The cache allocates nothing before the first address and grows with the number of addresses up to
/// ``maximumSlotCount``.
struct AddressCache: Sendable {
    /// Powers of two. Eight slots are enough for an account at rest, 64 for a quiet one; 1024 hold the occupants of large
    /// rooms.
    static let minimumSlotCount = 8
    static let maximumSlotCount = 1024

    private struct Slot: Sendable {
        /// The bytes as received, if they differ from those of the address.
        var bytes: [UInt8]?
        var address: JID?

        @inline(__always)
        func matches(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
            if let bytes { return bytes.withUnsafeBufferPointer { $0.isSame(as: other) } }
            return address?.isWritten(other) ?? false
        }
    }

    /// The hash of the address in each slot; 0 for a free slot. Stored separately, so that a lookup touches no
    /// reference count.
    private var hashes: [UInt64] = []
    private var slots: [Slot] = []
    /// How many free slots have been taken.
    private var count = 0
    private let isCaching: Bool

    /// A cache for a single decoding: it stores nothing.
    init() { isCaching = false }

    init(caching: Void) { isCaching = true }

    /// The address in the attribute `name`, or `nil` without the attribute.
    mutating func address(
        _ value: XMLAttributeValue, named name: String, of element: XMLElement
    ) throws(XMLDecodingError) -> JID? {
        guard value.isPresent else { return nil }
        var position: Int?
        var address: JID?
        element.withUTF8(value) { bytes in
            if isCaching { position = self.position(of: bytes) } else { address = try? JID(utf8: bytes) }
        }
        if let position { return slots[position].address }
        if address == nil { throw XMLDecodingError(element.name, .invalidAttribute(name, value: element[name] ?? "")) }
        return address
    }

    /// The slot of the address. A new address is prepared and stored first; `nil` if the bytes are not an address.
    private mutating func position(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let hash = bytes.mixed
        if !hashes.isEmpty {
            let position = index(of: hash)
            if hashes[position] == hash, slots[position].matches(bytes) { return position }
            if hashes[position &+ 1] == hash, slots[position &+ 1].matches(bytes) { return position &+ 1 }
        }
        guard let address = try? JID(utf8: bytes) else { return nil }
        insert(Slot(bytes: address.isWritten(bytes) ? nil : Array(bytes), address: address), hash)
        return index(of: hash)
    }

    private mutating func insert(_ slot: Slot, _ hash: UInt64) {
        if count * 2 >= slots.count, slots.count < Self.maximumSlotCount { grow() }
        put(slot, hash)
    }

    private mutating func put(_ slot: Slot, _ hash: UInt64) {
        let position = index(of: hash)
        if hashes[position + 1] == 0 { count += 1 }
        slots[position + 1] = slots[position]
        hashes[position + 1] = hashes[position]
        slots[position] = slot
        hashes[position] = hash
    }

    private mutating func grow() {
        let kept = zip(slots, hashes)
        let size = min(Self.maximumSlotCount, max(Self.minimumSlotCount, slots.count * 4))
        slots = Array(repeating: Slot(), count: size)
        hashes = Array(repeating: 0, count: size)
        count = 0
        for (slot, hash) in kept where hash != 0 { put(slot, hash) }
    }

    /// The first slot of the pair.
    private func index(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash &>> 32) & (slots.count &- 2)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A hash of the bytes, eight at a time. It needs no secret: a peer that forces collisions only makes its own
    /// addresses uncached. Never 0, which marks a free slot.
    fileprivate var mixed: UInt64 {
        var hash = UInt64(truncatingIfNeeded: count)
        let raw = UnsafeRawBufferPointer(self)
        var offset = 0
        while offset &+ 8 <= raw.count {
            hash = (hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash &>> 29
            offset &+= 8
        }
        if offset < raw.count {
            var rest: UInt64 = 0
            if raw.count >= 8 {
                // The last eight bytes, some of which are already in the hash.
                rest = raw.loadUnaligned(fromByteOffset: raw.count &- 8, as: UInt64.self)
            } else {
                for byte in raw { rest = rest &<< 8 | UInt64(byte) }
            }
            hash = (hash ^ rest) &* 0x9E37_79B9_7F4A_7C15
        }
        return (hash ^ hash &>> 31) | 1
    }

    /// Whether the bytes are equal.
    fileprivate func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool { elementsEqual(other) }
}
