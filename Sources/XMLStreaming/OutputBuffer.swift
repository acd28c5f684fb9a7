/// Bytes that grow at the end: an array with spare room, so that the parts of a tag are written with one look at its size.
///
/// All stores go through a span and are bounds-checked.
struct OutputBuffer: Sendable {
    /// The size of a chat message, which the first bytes reserve.
    private static let usualSize = 512

    /// The bytes, and the spare room after them.
    private var storage: [UInt8] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// A copy of the bytes from `start` on shares their memory until the next change.
    func bytes(after start: Int) -> ArraySlice<UInt8> { storage[start..<count] }

    func equals(_ range: Range<Int>, _ other: borrowing RawSpan) -> Bool {
        range.count == other.byteCount && storage.span.bytes.equals(range.lowerBound, other, 0, range.count)
    }

    func equals(_ range: Range<Int>, _ other: Range<Int>) -> Bool {
        range.count == other.count
            && storage.span.bytes.equals(range.lowerBound, storage.span.bytes, other.lowerBound, range.count)
    }

    mutating func truncate(to count: Int) {
        precondition(count <= self.count, "a buffer is truncated to a part of it")
        self.count = count
    }

    /// Returns the bytes and continues with none.
    mutating func take() -> [UInt8] {
        storage.removeLast(storage.count - count)
        count = 0
        defer { storage = [] }
        return storage
    }

    // MARK: Room

    @inline(__always)
    mutating func reserve(_ more: Int) {
        if storage.count &- count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let (old, used) = (storage, count)
        storage = [UInt8](repeating: 0, count: max(used + more, old.count * 2, Self.usualSize))
        storage.withUnsafeMutableBytes { target in
            old.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<used])) }
        }
    }

    // MARK: Appending

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count &+= 1
    }

    /// Appends the lowest `length` bytes of a word.
    mutating func append(_ word: UInt64, count length: Int) {
        reserve(8)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        target.storeBytes(of: word.littleEndian, toByteOffset: start, as: UInt64.self)
        count = start &+ length
    }

    mutating func append(_ more: [UInt8]) {
        if storage.isEmpty {
            storage = more
            count = more.count
        } else {
            append(more.span.bytes)
        }
    }

    mutating func append(_ more: borrowing RawSpan) {
        reserve(more.byteCount)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        let end = Self.copy(more, to: &target, at: start)
        count = end
    }

    /// Appends `<` and a name.
    mutating func appendTag(_ name: borrowing RawSpan) {
        reserve(name.byteCount &+ 1)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        target.storeBytes(of: UInt8(ascii: "<"), toByteOffset: start, as: UInt8.self)
        let end = Self.copy(name, to: &target, at: start &+ 1)
        count = end
    }

    /// Appends `<`, a name, and the declaration of a default namespace.
    mutating func appendTag(_ name: borrowing RawSpan, declaring namespace: borrowing RawSpan) {
        reserve(name.byteCount &+ namespace.byteCount &+ 10)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        target.storeBytes(of: UInt8(ascii: "<"), toByteOffset: start, as: UInt8.self)
        var end = Self.copy(name, to: &target, at: start &+ 1)
        target.storeBytes(of: Self.declaration, toByteOffset: end, as: UInt64.self)
        end = Self.copy(namespace, to: &target, at: end &+ 8)
        target.storeBytes(of: UInt8(ascii: "'"), toByteOffset: end, as: UInt8.self)
        count = end &+ 1
    }

    /// ` xmlns='` in the order of memory.
    private static let declaration = UInt64(littleEndian: 0x273D_736E_6C6D_7820)

    /// Appends an attribute whose name and value need no change.
    mutating func appendAttribute(_ name: borrowing RawSpan, _ value: borrowing RawSpan) {
        reserve(name.byteCount &+ value.byteCount &+ 4)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        target.storeBytes(of: UInt8(ascii: " "), toByteOffset: start, as: UInt8.self)
        var end = Self.copy(name, to: &target, at: start &+ 1)
        target.storeBytes(of: UInt8(ascii: "="), toByteOffset: end, as: UInt8.self)
        target.storeBytes(of: UInt8(ascii: "'"), toByteOffset: end &+ 1, as: UInt8.self)
        end = Self.copy(value, to: &target, at: end &+ 2)
        target.storeBytes(of: UInt8(ascii: "'"), toByteOffset: end, as: UInt8.self)
        count = end &+ 1
    }

    /// Appends the end tag of an element whose name is at `name`.
    mutating func appendEndTag(_ name: Range<Int>) {
        reserve(name.count &+ 3)
        let start = count
        var span = storage.mutableSpan
        span[start] = UInt8(ascii: "<")
        span[start &+ 1] = UInt8(ascii: "/")
        var end = start &+ 2
        for index in name {
            span[end] = span[index]
            end &+= 1
        }
        span[end] = UInt8(ascii: ">")
        count = end &+ 1
    }

    /// Copies a few bytes as words, many with one call; returns the end.
    @inline(__always)
    private static func copy(_ source: borrowing RawSpan, to target: inout MutableRawSpan, at start: Int) -> Int {
        let length = source.byteCount
        if length >= 8 {
            var offset = 0
            while offset &+ 8 <= length {
                target.storeBytes(of: source.word(offset), toByteOffset: start &+ offset, as: UInt64.self)
                offset &+= 8
            }
            // The rest as the end of a word, over bytes that are there already.
            let last = length &- 8
            target.storeBytes(of: source.word(last), toByteOffset: start &+ last, as: UInt64.self)
        } else {
            for offset in 0..<length {
                target.storeBytes(of: source[offset], toByteOffset: start &+ offset, as: UInt8.self)
            }
        }
        return start &+ length
    }
}
