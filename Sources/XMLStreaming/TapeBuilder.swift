/// Writes the tape of the top-level element that is being read, and resolves its namespaces.
struct TapeBuilder: ~Copyable {
    struct Frame: BitwiseCopyable {
        var entry: Int
        /// The tape entry of the default namespace around this element.
        var outerNamespace: Int
        var outerBindings: Int
    }

    struct Binding: BitwiseCopyable {
        var prefix: Int
        var prefixLength: Int
        var namespace: Int
    }

    /// What the stream header declared for everything below it.
    struct Context: Sendable {
        var defaultNamespace: [UInt8] = []
        var prefixes: [(prefix: [UInt8], namespace: [UInt8])] = []
    }

    var context = Context()
    var entries = PlainStack<TapeEntry>(capacity: 64)
    var frames = PlainStack<Frame>(capacity: 16)
    var bindings = PlainStack<Binding>(capacity: 4)
    /// Namespace entries whose bytes come from the context: they are appended when the element is complete.
    private var borrowed: [(entry: Int, namespace: [UInt8])] = []
    var defaultNamespace = TapeEntry.inheritedNamespaceIndex

    var depth: Int { frames.count }

    /// The tape keeps its memory between elements up to this many entries (16 KiB).
    private static let keptEntries = 1024

    mutating func begin() {
        entries.removeAll(keeping: TapeBuilder.keptEntries)
        frames.removeAll(keeping: TapeBuilder.keptEntries)
        bindings.removeAll(keeping: TapeBuilder.keptEntries)
        if !borrowed.isEmpty { borrowed = [] }
        defaultNamespace = TapeEntry.inheritedNamespaceIndex
        entries.append(TapeEntry(.namespace, 0, 0))
        entries.append(TapeEntry(.namespace, 0, 0))
    }

    @inline(__always)
    mutating func text(_ start: Int, _ length: Int) {
        if length > 0 { entries.append(TapeEntry(.text, start, length)) }
    }

    /// Takes the tokenizer's start tag.
    @inline(__always)
    mutating func startTag(
        _ tag: inout Tokenizer, _ bytes: borrowing RawSpan, isEmpty: Bool, limits: borrowing XMLLimits
    ) throws(XMLError) {
        if frames.count >= limits.depth { throw XMLError(.tooDeep, at: tag.nameStart) }
        let entry = entries.count
        let outerNamespace = defaultNamespace
        let outerBindings = bindings.count
        entries.append(
            TapeEntry(
                .element, tag.nameStart, 0, 0, prefix: tag.prefixLength, name: tag.nameLength &- tag.prefixLength))
        var qualified = 0
        let count = tag.attributes.count
        var index = 0
        while index < count {
            let attribute = tag.attributes[index]
            try checkDuplicate(tag, bytes, index, attribute)
            if attribute.prefixLength == 0 {
                if attribute.localLength == 5 && isXMLNS(bytes, attribute.name) {
                    try declareDefault(bytes, attribute)
                } else {
                    entries.append(attribute)
                }
            } else if try prefixedAttribute(bytes, attribute, outerBindings, limits) {
                qualified &+= 1
            }
            index &+= 1
        }
        entries[entry].third = UInt32(truncatingIfNeeded: defaultNamespace)
        if tag.prefixLength > 0 {
            let namespace = try resolve(bytes, tag.nameStart, tag.prefixLength &- 1)
            entries[entry].third = UInt32(truncatingIfNeeded: namespace)
        }
        if qualified > 0 { try resolveAttributes(bytes, entry &+ 1) }
        if isEmpty {
            entries[entry].second = UInt32(truncatingIfNeeded: entries.count)
            defaultNamespace = outerNamespace
            bindings.truncate(to: outerBindings)
        } else {
            frames.append(Frame(entry: entry, outerNamespace: outerNamespace, outerBindings: outerBindings))
            tag.openName = tag.nameStart
            tag.openNameLength = tag.nameLength
        }
    }

    /// Takes the end tag of the innermost open element; the tokenizer has compared the names.
    @inline(__always)
    mutating func endTag(_ tag: inout Tokenizer) {
        let depth = frames.count &- 1
        let frame = frames[depth]
        frames.truncate(to: depth)
        entries[frame.entry].second = UInt32(truncatingIfNeeded: entries.count)
        defaultNamespace = frame.outerNamespace
        bindings.truncate(to: frame.outerBindings)
        tellOpenName(to: &tag)
    }

    /// Tells the tokenizer the name that the next end tag has to repeat.
    @inline(__always)
    func tellOpenName(to tag: inout Tokenizer) {
        if frames.count > 0 {
            let open = entries[frames[frames.count &- 1].entry]
            tag.openName = open.name
            tag.openNameLength = open.qualifiedLength
        } else {
            tag.openNameLength = Tokenizer.anyName
        }
    }

    /// The record of the complete element: the tape, then its bytes, then the namespaces it inherited.
    @inline(__always)
    mutating func finish(_ bytes: borrowing RawSpan) -> [TapeEntry] {
        let read = bytes.byteCount
        var total = read &+ context.defaultNamespace.count
        entries[TapeEntry.inheritedNamespaceIndex] = TapeEntry(.namespace, read, context.defaultNamespace.count)
        for index in borrowed.indices {
            entries[borrowed[index].entry] = TapeEntry(.namespace, total, borrowed[index].namespace.count)
            total &+= borrowed[index].namespace.count
        }
        let count = entries.count
        entries[TapeEntry.headerIndex] = TapeEntry(.namespace, count, total, read)
        let size = count &+ (total &+ TapeEntry.size &- 1) / TapeEntry.size
        return [TapeEntry](unsafeUninitializedCapacity: size) { buffer, initialized in
            // Every byte up to `total` is written below; the few behind it are cleared and never read.
            guard size > count, let raw = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            buffer[size &- 1] = TapeEntry(.namespace, 0, 0)
            entries.withUnsafeBytes { TapeBuilder.copy($0, to: raw, at: 0) }
            let start = count &* TapeEntry.size
            bytes.withUnsafeBytes { TapeBuilder.copy($0, to: raw, at: start) }
            var offset = start &+ read
            context.defaultNamespace.withUnsafeBytes { TapeBuilder.copy($0, to: raw, at: offset) }
            offset &+= context.defaultNamespace.count
            for index in borrowed.indices {
                borrowed[index].namespace.withUnsafeBytes { TapeBuilder.copy($0, to: raw, at: offset) }
                offset &+= borrowed[index].namespace.count
            }
            initialized = size
        }
    }

    @inline(__always)
    private static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, at offset: Int) {
        if let base = source.baseAddress { (target + offset).copyMemory(from: base, byteCount: source.count) }
    }

    /// Makes the declarations of a start tag (the stream header) the context of all that follows.
    mutating func adoptContext(_ tag: borrowing Tokenizer, _ header: [UInt8]) {
        let bytes = header.span.bytes
        context = Context()
        for index in 0..<tag.attributes.count {
            let attribute = tag.attributes[index]
            let value = bytes.bytes(attribute.value, attribute.valueLength)
            if attribute.prefixLength == 0, attribute.localLength == 5, isXMLNS(bytes, attribute.name) {
                context.defaultNamespace = value
            } else if attribute.prefixLength == 6, isXMLNS(bytes, attribute.name) {
                let prefix = bytes.bytes(attribute.name + 6, attribute.localLength)
                context.prefixes.append((prefix, value))
            }
        }
    }

    // MARK: Namespaces

    @inline(__always)
    private func isXMLNS(_ bytes: borrowing RawSpan, _ name: Int) -> Bool {
        bytes[name] == UInt8(ascii: "x") && bytes[name &+ 1] == UInt8(ascii: "m")
            && bytes[name &+ 2] == UInt8(ascii: "l")
            && bytes[name &+ 3] == UInt8(ascii: "n") && bytes[name &+ 4] == UInt8(ascii: "s")
    }

    @inline(__always)
    private func isXMLPrefix(_ bytes: borrowing RawSpan, _ name: Int) -> Bool {
        bytes[name] == UInt8(ascii: "x") && bytes[name &+ 1] == UInt8(ascii: "m")
            && bytes[name &+ 2] == UInt8(ascii: "l")
    }

    @inline(__always)
    private func checkDuplicate(
        _ tag: borrowing Tokenizer, _ bytes: borrowing RawSpan, _ index: Int, _ attribute: TapeEntry
    ) throws(XMLError) {
        var other = 0
        while other < index {
            let earlier = tag.attributes[other]
            if earlier.packed == attribute.packed
                && bytes.equals(earlier.name, bytes, attribute.name, attribute.qualifiedLength)
            {
                throw XMLError(.duplicateAttribute, at: attribute.name)
            }
            other &+= 1
        }
    }

    private mutating func declareDefault(
        _ bytes: borrowing RawSpan, _ attribute: TapeEntry
    ) throws(XMLError) {
        let isReserved =
            bytes.equals(attribute.value, attribute.valueLength, XMLNamespace.xmlBytes)
            || bytes.equals(attribute.value, attribute.valueLength, XMLNamespace.xmlnsBytes)
        if isReserved { throw XMLError(.invalidNamespaceDeclaration, at: attribute.name) }
        defaultNamespace = entries.count
        entries.append(TapeEntry(.namespace, attribute.value, attribute.valueLength))
    }

    /// Takes an attribute with a prefix; `true` when its namespace is still to be looked up.
    private mutating func prefixedAttribute(
        _ bytes: borrowing RawSpan, _ attribute: TapeEntry, _ outerBindings: Int,
        _ limits: borrowing XMLLimits
    ) throws(XMLError) -> Bool {
        if attribute.prefixLength == 6, isXMLNS(bytes, attribute.name) {
            try declare(bytes, attribute, limits)
            return false
        }
        entries.append(attribute)
        if attribute.prefixLength == 4, isXMLPrefix(bytes, attribute.name) { return false }
        entries.append(TapeEntry(.namespace, 0, 0))
        return true
    }

    /// `xmlns:prefix='…'` (Namespaces in XML 1.0 §3).
    private mutating func declare(
        _ bytes: borrowing RawSpan, _ attribute: TapeEntry, _ limits: borrowing XMLLimits
    ) throws(XMLError) {
        let prefix = attribute.name &+ 6
        let isXML = attribute.localLength == 3 && isXMLPrefix(bytes, prefix)
        let isXMLNamespace = bytes.equals(attribute.value, attribute.valueLength, XMLNamespace.xmlBytes)
        if isXML && isXMLNamespace { return }
        let isReserved =
            isXML || isXMLNamespace || attribute.localLength == 5 && isXMLNS(bytes, prefix)
            || attribute.valueLength == 0
            || bytes.equals(attribute.value, attribute.valueLength, XMLNamespace.xmlnsBytes)
        if isReserved { throw XMLError(.invalidNamespaceDeclaration, at: attribute.name) }
        if bindings.count >= limits.namespaceBindings { throw XMLError(.tooManyNamespaces, at: attribute.name) }
        bindings.append(Binding(prefix: prefix, prefixLength: attribute.localLength, namespace: entries.count))
        entries.append(TapeEntry(.namespace, attribute.value, attribute.valueLength))
    }

    /// The tape entry of the namespace a prefix is bound to.
    private mutating func resolve(
        _ bytes: borrowing RawSpan, _ prefix: Int, _ length: Int
    ) throws(XMLError) -> Int {
        var index = bindings.count
        while index > 0 {
            index &-= 1
            let binding = bindings[index]
            if binding.prefixLength == length && bytes.equals(binding.prefix, bytes, prefix, length) {
                return binding.namespace
            }
        }
        if length == 3, isXMLPrefix(bytes, prefix) { return borrow(XMLNamespace.xmlBytes) }
        for (known, namespace) in context.prefixes where bytes.equals(prefix, length, known) {
            return borrow(namespace)
        }
        throw XMLError(.unboundPrefix, at: prefix)
    }

    private mutating func borrow(_ namespace: [UInt8]) -> Int {
        for (entry, known) in borrowed where known == namespace { return entry }
        borrowed.append((entries.count, namespace))
        entries.append(TapeEntry(.namespace, 0, 0))
        return entries.count - 1
    }

    /// Looks up the prefixes of attributes and compares their expanded names.
    private mutating func resolveAttributes(_ bytes: borrowing RawSpan, _ first: Int) throws(XMLError) {
        let end = entries.count
        var resolved: [(name: TapeEntry, namespace: Int)] = []
        var index = first
        while index < end {
            let entry = entries[index]
            index += 1
            guard entry.isAttribute, entry.prefixLength > 0,
                !(entry.prefixLength == 4 && isXMLPrefix(bytes, Int(entry.first)))
            else { continue }
            let namespace = try resolve(bytes, Int(entry.first), entry.prefixLength - 1)
            for earlier in resolved
            where earlier.name.localLength == entry.localLength && isSameNamespace(bytes, earlier.namespace, namespace)
                && bytes.equals(earlier.name.localOffset, bytes, entry.localOffset, entry.localLength)
            {
                throw XMLError(.duplicateAttribute, at: Int(entry.first))
            }
            resolved.append((entry, namespace))
            if entries[namespace].second == 0 {
                // A borrowed namespace: the copy is filled together with the original.
                for (borrowedEntry, known) in borrowed where borrowedEntry == namespace {
                    borrowed.append((index, known))
                    break
                }
            } else {
                entries[index] = entries[namespace]
            }
            index += 1
        }
    }

    private func isSameNamespace(_ bytes: borrowing RawSpan, _ left: Int, _ right: Int) -> Bool {
        if left == right { return true }
        return namespaceBytes(bytes, left) == namespaceBytes(bytes, right)
    }

    private func namespaceBytes(_ bytes: borrowing RawSpan, _ entry: Int) -> [UInt8] {
        for (borrowedEntry, namespace) in borrowed where borrowedEntry == entry { return namespace }
        return bytes.bytes(Int(entries[entry].first), Int(entries[entry].second))
    }
}
