/// A growing stack of plain values with a single owner: an array without the uniqueness check at each change.
///
/// It has no memory until something is appended. Every access is checked against the bounds.
///
/// `@unchecked Sendable` is sound because this value alone owns the memory: it is never exposed, and a noncopyable
/// value moves to another task as a whole.
struct PlainStack<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    /// `nil` while the capacity is 0; an index below the count is in it.
    private var base: UnsafeMutablePointer<Element>?
    private(set) var count = 0
    private(set) var capacity = 0
    /// The capacity from which the stack grows.
    private let initialCapacity: Int

    init(capacity: Int) { initialCapacity = capacity }

    deinit { base?.deallocate() }

    subscript(_ index: Int) -> Element {
        @inline(__always) get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            return base.unsafelyUnwrapped[index]
        }
        @inline(__always) set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            base.unsafelyUnwrapped[index] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base.unsafelyUnwrapped + count).initialize(to: element)
        count &+= 1
    }

    /// Removes the elements above the first `count`.
    @inline(__always)
    mutating func truncate(to count: Int) {
        precondition(UInt(bitPattern: count) <= UInt(bitPattern: self.count))
        self.count = count
    }

    /// Removes all elements, and releases memory beyond `kept` elements.
    @inline(__always)
    mutating func removeAll(keeping kept: Int) {
        count = 0
        if capacity > kept { shrink(to: kept) }
    }

    /// Removes all elements, and releases the memory until the next one is appended.
    mutating func release() {
        base?.deallocate()
        (base, count, capacity) = (nil, 0, 0)
    }

    @inline(__always)
    func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(start: base, count: count &* MemoryLayout<Element>.stride))
    }

    @inline(never)
    private mutating func grow() { move(toCapacity: max(capacity * 2, initialCapacity)) }

    @inline(never)
    private mutating func shrink(to kept: Int) { move(toCapacity: kept) }

    private mutating func move(toCapacity newCapacity: Int) {
        let moved = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
        if let base {
            moved.moveInitialize(from: base, count: count)
            base.deallocate()
        }
        base = moved
        capacity = newCapacity
    }
}
