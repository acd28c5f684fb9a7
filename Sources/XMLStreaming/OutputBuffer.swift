/// Bytes that grow at the end: an array with spare room, so that the parts of a tag are checked and written in one pass.
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

    /// The byte at a position before `count`.
    subscript(position: Int) -> UInt8 { storage[position] }

    @inline(__always)
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
        let used = count
        var larger: [UInt8] = []
        larger.append(addingCapacity: max(used + more, storage.count * 2, Self.usualSize)) { span in
            span.withUnsafeMutableBufferPointer { target, initialized in
                _ = target.initialize(fromContentsOf: storage[..<used])
                target[used...].initialize(repeating: 0)
                initialized = target.count
            }
        }
        storage = larger
    }

    // MARK: Appending
    //
    // Every function reserves room for eight bytes more than it appends: the last bytes are stored as a whole word.

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        storage[count] = byte
        count &+= 1
    }

    /// Appends the lowest `length` bytes of a word.
    @inline(__always)
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
        span.withUnsafeMutableBytes { target in
            more.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: $0)
            }
        }
        count = start &+ more.byteCount
    }

    /// Appends `<` and a name; nothing and `false` if the name has to be corrected.
    @inline(__always)
    mutating func appendTag(_ name: borrowing RawSpan) -> Bool {
        reserve(name.byteCount &+ 9)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        target.storeBytes(of: UInt8(ascii: "<"), toByteOffset: start, as: UInt8.self)
        guard target.storeName(name, at: start &+ 1) else { return false }
        count = start &+ 1 &+ name.byteCount
        return true
    }

    /// Appends `<`, a name, and the declaration of a default namespace; nothing and `false` if one of them has to be changed.
    mutating func appendTag(_ name: borrowing RawSpan, declaring namespace: borrowing RawSpan) -> Bool {
        let length = namespace.byteCount
        reserve(name.byteCount &+ length &+ 18)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        target.storeBytes(of: UInt8(ascii: "<"), toByteOffset: start, as: UInt8.self)
        guard target.storeName(name, at: start &+ 1) else { return false }
        var end = start &+ 1 &+ name.byteCount
        target.storeBytes(of: Self.declaration, toByteOffset: end, as: UInt64.self)
        end &+= Self.declarationCount
        guard target.storePlain(namespace, from: 0, at: end, isAttribute: true) == length else { return false }
        end &+= length
        target.storeBytes(of: UInt8(ascii: "'"), toByteOffset: end, as: UInt8.self)
        count = end &+ 1
        return true
    }

    /// ` xmlns='` in the order of memory.
    private static let declaration = UInt64(littleEndian: 0x273D_736E_6C6D_7820)
    /// The number of bytes before the namespace in a declaration.
    static let declarationCount = 8

    /// Appends an attribute up to the first byte of its value that may have to be escaped.
    ///
    /// - Returns: How many bytes of the value were appended. After all of them, the closing quote was appended too. `nil` if the
    ///   name has to be corrected; nothing was appended then.
    @inline(__always)
    mutating func appendAttribute(_ name: borrowing RawSpan, _ value: borrowing RawSpan) -> Int? {
        let length = value.byteCount
        reserve(name.byteCount &+ length &+ 12)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        target.storeBytes(of: UInt8(ascii: " "), toByteOffset: start, as: UInt8.self)
        guard target.storeName(name, at: start &+ 1) else { return nil }
        var end = start &+ 1 &+ name.byteCount
        target.storeBytes(of: UInt8(ascii: "="), toByteOffset: end, as: UInt8.self)
        target.storeBytes(of: UInt8(ascii: "'"), toByteOffset: end &+ 1, as: UInt8.self)
        end &+= 2
        let plain = target.storePlain(value, from: 0, at: end, isAttribute: true)
        end &+= plain
        if plain == length {
            target.storeBytes(of: UInt8(ascii: "'"), toByteOffset: end, as: UInt8.self)
            end &+= 1
        }
        count = end
        return plain
    }

    /// Appends a part of a text or value that needs no escape.
    ///
    /// - Returns: The position in the source of the first byte that may have to be escaped, or the end.
    @inline(__always)
    mutating func appendPlain(_ source: borrowing RawSpan, from start: Int, isAttribute: Bool) -> Int {
        reserve(source.byteCount &- start &+ 8)
        let end = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        let next = target.storePlain(source, from: start, at: end, isAttribute: isAttribute)
        count = end &+ (next &- start)
        return next
    }

    /// Appends the end tag of an element whose name is at `name`.
    mutating func appendEndTag(_ name: Range<Int>) {
        let length = name.count
        reserve(length &+ 11)
        let start = count
        var span = storage.mutableSpan
        var target = span.mutableBytes
        target.storeBytes(of: UInt8(ascii: "<"), toByteOffset: start, as: UInt8.self)
        target.storeBytes(of: UInt8(ascii: "/"), toByteOffset: start &+ 1, as: UInt8.self)
        var offset = 0
        while offset < length {
            let word = target.bytes.word(name.lowerBound &+ offset)
            target.storeBytes(of: word, toByteOffset: start &+ 2 &+ offset, as: UInt64.self)
            offset &+= 8
        }
        target.storeBytes(of: UInt8(ascii: ">"), toByteOffset: start &+ 2 &+ length, as: UInt8.self)
        count = start &+ 3 &+ length
    }
}

extension MutableRawSpan {
    /// Stores text or a value up to the first byte that may have to be escaped. Up to seven bytes after it are overwritten.
    ///
    /// - Returns: The position of that byte in the source, or the end.
    @inline(__always)
    fileprivate mutating func storePlain(
        _ source: borrowing RawSpan, from start: Int, at offset: Int, isAttribute: Bool
    ) -> Int {
        let end = source.byteCount
        let distance = offset &- start
        var i = start
        while i &+ 16 <= end {
            let words = source.words(i)
            storeBytes(of: words, toByteOffset: i &+ distance, as: SIMD2<UInt64>.self)
            if mayNeedEscape(words, isAttribute: isAttribute) { break }
            i &+= 16
        }
        while i &+ 8 <= end {
            let word = source.word(i)
            storeBytes(of: word, toByteOffset: i &+ distance, as: UInt64.self)
            let hits = escapedBytes(word, isAttribute: isAttribute)
            if hits != 0 { return i &+ hits.trailingZeroBitCount &>> 3 }
            i &+= 8
        }
        guard i < end else { return end }
        let rest = source.word(last: end &- i)
        storeBytes(of: rest, toByteOffset: i &+ distance, as: UInt64.self)
        // After the rest, the word is zero, which would be escaped.
        let hits = escapedBytes(rest, isAttribute: isAttribute) & ~(~0 &<< UInt64(truncatingIfNeeded: (end &- i) &* 8))
        return hits == 0 ? end : i &+ hits.trailingZeroBitCount &>> 3
    }

    /// Stores an ASCII name without a prefix. Up to seven bytes after it are overwritten.
    ///
    /// - Returns: Whether it is one.
    @inline(__always)
    fileprivate mutating func storeName(_ name: borrowing RawSpan, at offset: Int) -> Bool {
        let end = name.byteCount
        guard end > 0, XMLCharacters.isASCIINameStart(name[0]) else { return false }
        var i = 0
        while i &+ 8 <= end {
            let word = name.word(i)
            guard nonNameBytes(word) == 0 else { return false }
            storeBytes(of: word, toByteOffset: i &+ offset, as: UInt64.self)
            i &+= 8
        }
        guard i < end else { return true }
        let rest = name.word(last: end &- i)
        storeBytes(of: rest, toByteOffset: i &+ offset, as: UInt64.self)
        return nonNameBytes(rest) & ~(~0 &<< UInt64(truncatingIfNeeded: (end &- i) &* 8)) == 0
    }
}

extension RawSpan {
    /// The last one to seven bytes as the lowest ones of a word, the others zero.
    @inline(__always)
    fileprivate func word(last count: Int) -> UInt64 {
        let end = byteCount
        if end >= 8 { return word(end &- 8) &>> UInt64(truncatingIfNeeded: (8 &- count) &* 8) }
        var whole: UInt64
        if end >= 4 {
            whole = UInt64(unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self))
            whole |=
                UInt64(unsafeLoadUnaligned(fromByteOffset: end &- 4, as: UInt32.self))
                &<< UInt64(truncatingIfNeeded: (end &- 4) &* 8)
        } else {
            // The middle one of two is the last one.
            whole = UInt64(self[0])
            whole |= UInt64(self[end &>> 1]) &<< UInt64(truncatingIfNeeded: (end &>> 1) &* 8)
            whole |= UInt64(self[end &- 1]) &<< UInt64(truncatingIfNeeded: (end &- 1) &* 8)
        }
        return whole &>> UInt64(truncatingIfNeeded: (end &- count) &* 8)
    }
}
