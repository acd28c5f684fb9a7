/// A growing stack of plain values with one owner: an array without the check, at each change, whether it is shared.
///
/// Every access is checked against the bounds.
///
/// `@unchecked Sendable` holds because the memory belongs to this value alone: it is never handed out, and a value that
/// cannot be copied moves to another task as a whole.
struct PlainStack<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    private var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private(set) var capacity: Int

    init(capacity: Int) {
        base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { base.deallocate() }

    subscript(_ index: Int) -> Element {
        @inline(__always) get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            return base[index]
        }
        @inline(__always) set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            base[index] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count &+= 1
    }

    /// Drops what lies above the first `count` elements.
    @inline(__always)
    mutating func truncate(to count: Int) {
        precondition(UInt(bitPattern: count) <= UInt(bitPattern: self.count))
        self.count = count
    }

    /// Drops everything, and memory beyond `kept` elements.
    @inline(__always)
    mutating func removeAll(keeping kept: Int) {
        count = 0
        if capacity > kept { shrink(to: kept) }
    }

    @inline(__always)
    func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(start: base, count: count &* MemoryLayout<Element>.stride))
    }

    @inline(never)
    private mutating func grow() { move(toCapacity: capacity * 2) }

    @inline(never)
    private mutating func shrink(to kept: Int) { move(toCapacity: kept) }

    private mutating func move(toCapacity newCapacity: Int) {
        let moved = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
        moved.moveInitialize(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = newCapacity
    }
}
