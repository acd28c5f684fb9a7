import XMLStreaming
import XMPPAddress

/// The addresses seen last, so that one that comes again costs a hash and a comparison instead of a preparation.
///
/// A stream carries few addresses many times. An address has a pair of places, and a newcomer takes that of the older
/// one there. The cache allocates nothing before the first address and grows with their number up to
/// ``maximumSlotCount``.
struct AddressCache: Sendable {
    /// Powers of two. 64 places are a few KiB and hold a quiet account; 1024 hold the occupants of large rooms.
    static let minimumSlotCount = 64
    static let maximumSlotCount = 1024

    private struct Slot: Sendable {
        var hash: UInt64
        /// The bytes as received, where they are not those of the address itself.
        var bytes: [UInt8]?
        var address: JID

        func matches(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
            if let bytes { return bytes.withUnsafeBufferPointer { $0.isSame(as: other) } }
            return address.withUTF8 { $0.isSame(as: other) }
        }
    }

    private var slots: [Slot?] = []
    /// How often a place was taken that was free.
    private var count = 0
    private let keeps: Bool

    /// A cache for one decoding only: it keeps nothing.
    init() { keeps = false }

    init(keeping: Void) { keeps = true }

    /// The address in attribute `name`, or `nil` without the attribute.
    mutating func address(in name: String, of element: XMLElement) throws(XMLDecodingError) -> JID? {
        var address: JID?
        // The closure gives nothing back: a generic result would be looked up in the runtime for each stanza.
        let isThere: Void? = element.withAttributeUTF8(name) { bytes in
            address = keeps ? lookUp(bytes) : try? JID(utf8: bytes)
        }
        if address == nil, isThere != nil {
            throw XMLDecodingError(element.name, .invalidAttribute(name, value: element[name] ?? ""))
        }
        return address
    }

    private mutating func lookUp(_ bytes: UnsafeBufferPointer<UInt8>) -> JID? {
        let hash = bytes.mixed
        if !slots.isEmpty {
            let place = index(of: hash)
            if let slot = slots[place], slot.hash == hash, slot.matches(bytes) { return slot.address }
            if let slot = slots[place &+ 1], slot.hash == hash, slot.matches(bytes) { return slot.address }
        }
        guard let address = try? JID(utf8: bytes) else { return nil }
        let isCanonical = address.withUTF8 { $0.isSame(as: bytes) }
        keep(Slot(hash: hash, bytes: isCanonical ? nil : Array(bytes), address: address))
        return address
    }

    private mutating func keep(_ slot: Slot) {
        if count * 2 >= slots.count, slots.count < Self.maximumSlotCount { grow() }
        put(slot)
    }

    private mutating func put(_ slot: Slot) {
        let place = index(of: slot.hash)
        if slots[place + 1] == nil { count += 1 }
        slots[place + 1] = slots[place]
        slots[place] = slot
    }

    private mutating func grow() {
        let kept = slots
        slots = Array(repeating: nil, count: max(Self.minimumSlotCount, kept.count * 4))
        count = 0
        for case let slot? in kept { put(slot) }
    }

    /// The first of the two places.
    private func index(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash &>> 32) & (slots.count &- 2)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A hash of the bytes, eight at a time. It needs no secret: who forces collisions only loses the cache's help.
    fileprivate var mixed: UInt64 {
        var hash = UInt64(truncatingIfNeeded: count)
        let raw = UnsafeRawBufferPointer(self)
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
        return hash ^ hash &>> 31
    }

    /// Whether the bytes are the same, eight at a time.
    fileprivate func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let (one, two) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var offset = 0
        while offset &+ 8 <= one.count {
            let left = one.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard left == two.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset &+= 8
        }
        while offset < one.count {
            guard one[offset] == two[offset] else { return false }
            offset &+= 1
        }
        return true
    }
}
