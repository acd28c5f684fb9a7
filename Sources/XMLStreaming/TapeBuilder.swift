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
        /// The same for all prefixes in scope that are bound to the same namespace.
        var identity: Int
    }

    /// A namespace entry that is still waiting for the bytes of a namespace of the context.
    struct Inherited: BitwiseCopyable {
        var entry: Int
        /// The number of the source: 0 is `xml`, the others are those of the context.
        var source: Int
    }

    /// The position of a namespace of the context in the record that is being built.
    struct Source: BitwiseCopyable {
        /// The entry that elements refer to; 0 where none does.
        var entry = 0
        /// The offset of its bytes; 0 where nothing has used it.
        var offset = 0
    }

    /// A prefixed attribute to compare with the others of its tag.
    struct Qualified: BitwiseCopyable {
        var attribute: TapeEntry
        var identity: Int
    }

    var context = Context()
    var entries = PlainStack<TapeEntry>(capacity: 64)
    var frames = PlainStack<Frame>(capacity: 16)
    var bindings = PlainStack<Binding>(capacity: 4)
    /// Namespace entries whose bytes come from the context. The bytes are appended, once each, when the element is
    /// complete.
    var inherited = PlainStack<Inherited>(capacity: 4)
    /// The namespaces that a prefix can have without a declaration in the element; parallel to the context.
    var sources = PlainStack<Source>(capacity: 4)
    /// Bytes of the namespaces that the element has inherited so far; they count towards its size.
    var inheritedBytes = 0
    /// Text and attributes of the fast path whose references and line ends have yet to be changed.
    var raw = PlainStack<Int>(capacity: 4)
    var qualified = PlainStack<Qualified>(capacity: 4)
    var defaultNamespace = TapeEntry.inheritedNamespaceIndex
    /// The length of the namespace that is read as another one; no length if there is none.
    var replacedLength = -1

    var depth: Int { frames.count }

    /// The tape keeps its memory between elements up to this many entries (16 KiB).
    static let keptEntries = 1024

    init() { forgetContext() }

    /// Gives back the memory of the tape; called between elements.
    mutating func releaseMemory() {
        entries.release()
        frames.release()
        bindings.release()
        raw.release()
        qualified.release()
        if inherited.count > 0 { forgetInherited() }
        inherited.release()
    }

    mutating func begin() {
        entries.removeAll(keeping: TapeBuilder.keptEntries)
        frames.removeAll(keeping: TapeBuilder.keptEntries)
        bindings.removeAll(keeping: TapeBuilder.keptEntries)
        raw.removeAll(keeping: TapeBuilder.keptEntries)
        if inherited.count > 0 { forgetInherited() }
        defaultNamespace = TapeEntry.inheritedNamespaceIndex
        entries.append(TapeEntry(.namespace, 0, 0))
        entries.append(TapeEntry(.namespace, 0, 0))
    }

    @inline(__always)
    mutating func text(_ start: Int, _ length: Int) {
        if length > 0 { entries.append(TapeEntry(.text, start, length)) }
    }

    /// Handles a start tag of the tokenizer.
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
        var qualifiedCount = 0
        let count = tag.attributes.count
        var index = 0
        while index < count {
            let attribute = tag.attributes[index]
            try checkDuplicate(tag, bytes, index, attribute)
            if attribute.prefixLength == 0 {
                if attribute.localLength == 5 && isXMLNS(bytes, attribute.name) {
                    try declareDefault(bytes, attribute, limits)
                } else {
                    entries.append(attribute)
                }
            } else if try prefixedAttribute(bytes, attribute, limits) {
                qualifiedCount &+= 1
            }
            index &+= 1
        }
        entries[entry].third = UInt32(truncatingIfNeeded: defaultNamespace)
        if tag.prefixLength > 0 {
            let namespace = try resolve(bytes, tag.nameStart, tag.prefixLength &- 1, limits).entry
            entries[entry].third = UInt32(truncatingIfNeeded: namespace)
        }
        if qualifiedCount > 0 { try resolveAttributes(bytes, entry &+ 1, limits) }
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

    /// Handles the end tag of the innermost open element; the tokenizer has compared the names.
    @inline(__always)
    mutating func endTag(_ tag: inout Tokenizer) {
        let depth = frames.count &- 1
        let frame = frames[depth]
        frames.truncate(to: depth)
        entries[frame.entry].second = UInt32(truncatingIfNeeded: entries.count)
        defaultNamespace = frame.outerNamespace
        bindings.truncate(to: frame.outerBindings)
        passOpenName(to: &tag)
    }

    /// Passes the tokenizer the name that the next end tag must repeat.
    @inline(__always)
    func passOpenName(to tag: inout Tokenizer) {
        if frames.count > 0 {
            let open = entries[frames[frames.count &- 1].entry]
            tag.openName = open.name
            tag.openNameLength = open.qualifiedLength
        } else {
            tag.openNameLength = Tokenizer.anyName
        }
    }

    /// The record of the complete element: the tape, its bytes, and the namespaces that it inherited.
    @inline(__always)
    mutating func finish(_ bytes: borrowing RawSpan) -> [TapeEntry] {
        let read = bytes.byteCount
        var total = read &+ context.defaultNamespace.count
        entries[TapeEntry.inheritedNamespaceIndex] = TapeEntry(.namespace, read, context.defaultNamespace.count)
        if inherited.count > 0 { placeInherited(&total) }
        let count = entries.count
        entries[TapeEntry.headerIndex] = TapeEntry(.namespace, count, total, read)
        let size = count &+ (total &+ TapeEntry.size &- 1) / TapeEntry.size
        // An array that is made empty and grows once is allocated by code of this type; the other ways ask the runtime which
        // type it is.
        var record: [TapeEntry] = []
        record.append(addingCapacity: size) { span in
            span.withUnsafeMutableBufferPointer { buffer, initialized in
                // Every byte up to `total` is written below; the few after it are cleared and never read.
                guard size > count, let raw = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
                buffer[size &- 1] = TapeEntry(.namespace, 0, 0)
                entries.withUnsafeBytes { TapeBuilder.copy($0, to: raw, at: 0) }
                let start = count &* TapeEntry.size
                bytes.withUnsafeBytes { TapeBuilder.copy($0, to: raw, at: start) }
                var offset = start &+ read
                context.defaultNamespace.withUnsafeBytes { TapeBuilder.copy($0, to: raw, at: offset) }
                offset &+= context.defaultNamespace.count
                if inherited.count > 0 { copyInherited(to: raw, at: start) }
                initialized = size
            }
        }
        return record
    }

    /// Changes references and line ends in text and values of the fast path, which only become shorter.
    @inline(never)
    mutating func resolveRaw(in buffer: inout [UInt8], from start: Int) {
        var index = 0
        while index < raw.count {
            let position = raw[index]
            var entry = entries[position]
            let isAttribute = entry.isAttribute
            let (offset, length) = isAttribute ? (entry.second, entry.third) : (entry.first, entry.second)
            // Does not fail: the fast path has checked the references.
            let resolved = try? XMLReferences.resolve(
                in: &buffer, from: start &+ Int(offset), length: Int(length), isAttribute: isAttribute,
                elementStart: start)
            let new = UInt32(truncatingIfNeeded: resolved ?? 0)
            if isAttribute { entry.third = new } else { entry.second = new }
            entries[position] = entry
            index &+= 1
        }
        raw.truncate(to: 0)
    }

    @inline(__always)
    static func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, at offset: Int) {
        if let base = source.baseAddress { (target + offset).copyMemory(from: base, byteCount: source.count) }
    }
}

extension TapeBuilder {
    /// The namespaces and attributes that the stream header declared for all following elements.
    struct Context: Sendable, Equatable {
        /// A prefix that needs no declaration in an element.
        struct Source: Sendable, Equatable {
            var prefix: [UInt8]
            var namespace: [UInt8]
            /// The first source with the same namespace.
            var identity: Int
        }

        var defaultNamespace: [UInt8] = []
        /// The namespace of the header that is read as ``defaultNamespace``.
        var replacedNamespace: [UInt8] = []
        /// The prefix `xml` comes first.
        private(set) var sources = [Source(prefix: Array("xml".utf8), namespace: XMLNamespace.xmlBytes, identity: 0)]

        /// What nearly every header of a stream declares; the parsers share its memory.
        static let usual: Context = {
            var context = Context()
            context.defaultNamespace = Array("jabber:client".utf8)
            context.declare(Array("stream".utf8), XMLNamespace.streamsBytes)
            return context
        }()

        /// The number of bytes of all declared namespaces.
        var byteCount: Int { sources.dropFirst().reduce(defaultNamespace.count) { $0 + $1.namespace.count } }

        mutating func declare(_ prefix: [UInt8], _ namespace: [UInt8]) {
            // Declaring `xml` as what it already is changes nothing.
            guard prefix != sources[0].prefix else { return }
            let identity = sources.firstIndex { $0.namespace == namespace } ?? sources.count
            sources.append(Source(prefix: prefix, namespace: namespace, identity: identity))
        }

        func namespace(ofPrefix prefix: ArraySlice<UInt8>) -> [UInt8]? {
            sources.first { $0.prefix.elementsEqual(prefix) }?.namespace
        }
    }
}
