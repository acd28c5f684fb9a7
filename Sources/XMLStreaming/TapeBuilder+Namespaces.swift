// Namespaces in XML 1.0. Each prefix in scope knows which other prefixes have the same namespace, so names are compared
// by number. A namespace of the stream header is stored once per record, however often it is used.

extension TapeBuilder {
    /// Makes the declarations of a start tag (the stream header) the context of everything that follows.
    ///
    /// - Throws: `namespaceTooLong` when all of them together exceed the limit for one namespace.
    mutating func adoptContext(
        _ tag: borrowing Tokenizer, _ header: [UInt8], limits: borrowing XMLLimits
    ) throws(XMLError) {
        let bytes = header.span.bytes
        context = Context()
        for index in 0..<tag.attributes.count {
            let attribute = tag.attributes[index]
            let value = bytes.bytes(attribute.value, attribute.valueLength)
            if attribute.prefixLength == 0, attribute.localLength == 5, isXMLNS(bytes, attribute.name) {
                context.defaultNamespace = value
            } else if attribute.prefixLength == 6, isXMLNS(bytes, attribute.name) {
                context.declare(bytes.bytes(attribute.name + 6, attribute.localLength), value)
            }
            if context.byteCount > limits.namespaceBytes { throw XMLError(.namespaceTooLong, at: attribute.name) }
        }
        if context == .usual { context = .usual }
        matchContext()
    }

    /// Reads the default namespace of the context as another one from now on.
    mutating func replaceContentNamespace(by namespace: [UInt8]) {
        context.replacedNamespace = context.defaultNamespace
        replacedLength = context.defaultNamespace.count
        context.defaultNamespace = namespace
    }

    /// A new stream begins: nothing is declared.
    mutating func forgetContext() {
        context = Context()
        replacedLength = -1
        matchContext()
    }

    private mutating func matchContext() {
        sources.truncate(to: 0)
        for _ in context.sources { sources.append(Source()) }
    }

    // MARK: The tags

    @inline(__always)
    func isXMLNS(_ bytes: borrowing RawSpan, _ name: Int) -> Bool {
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
    func checkDuplicate(
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

    mutating func declareDefault(
        _ bytes: borrowing RawSpan, _ attribute: TapeEntry, _ limits: borrowing XMLLimits
    ) throws(XMLError) {
        // A declaration of the `xml` namespace is forbidden too (Namespaces in XML 1.0 §3), but servers write
        // `<xml:a/>` with one.
        if bytes.equals(attribute.value, attribute.valueLength, XMLNamespace.xmlnsBytes) {
            throw XMLError(.invalidNamespaceDeclaration, at: attribute.name)
        }
        if attribute.valueLength > limits.namespaceBytes { throw XMLError(.namespaceTooLong, at: attribute.name) }
        if attribute.valueLength == replacedLength,
            bytes.equals(attribute.value, attribute.valueLength, context.replacedNamespace)
        {
            defaultNamespace = TapeEntry.inheritedNamespaceIndex
            return
        }
        defaultNamespace = entries.count
        entries.append(TapeEntry(.namespace, attribute.value, attribute.valueLength))
    }

    /// Takes an attribute with a prefix; returns `true` when its namespace has yet to be looked up.
    mutating func prefixedAttribute(
        _ bytes: borrowing RawSpan, _ attribute: TapeEntry, _ limits: borrowing XMLLimits
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
        if isXML && bytes.equals(attribute.value, attribute.valueLength, XMLNamespace.xmlBytes) { return }
        let isReserved =
            isXML || attribute.localLength == 5 && isXMLNS(bytes, prefix) || attribute.valueLength == 0
            || bytes.equals(attribute.value, attribute.valueLength, XMLNamespace.xmlnsBytes)
        if isReserved { throw XMLError(.invalidNamespaceDeclaration, at: attribute.name) }
        if attribute.valueLength > limits.namespaceBytes { throw XMLError(.namespaceTooLong, at: attribute.name) }
        if bindings.count >= limits.namespaceBindings { throw XMLError(.tooManyNamespaces, at: attribute.name) }
        bindings.append(
            Binding(
                prefix: prefix, prefixLength: attribute.localLength, namespace: entries.count,
                identity: identity(bytes, attribute)))
        entries.append(TapeEntry(.namespace, attribute.value, attribute.valueLength))
    }

    /// The identity of the namespace of a declaration: one number for all prefixes in scope that are bound to the same
    /// namespace. Numbers of the context are below 0.
    private func identity(_ bytes: borrowing RawSpan, _ declaration: TapeEntry) -> Int {
        for source in context.sources.indices
        where bytes.equals(declaration.value, declaration.valueLength, context.sources[source].namespace) {
            return ~source
        }
        var index = 0
        while index < bindings.count {
            let namespace = entries[bindings[index].namespace]
            if namespace.second == declaration.third
                && bytes.equals(Int(namespace.first), bytes, declaration.value, declaration.valueLength)
            {
                return bindings[index].identity
            }
            index &+= 1
        }
        return entries.count
    }

    /// The tape entry of the namespace bound to a prefix, and the identity of that namespace.
    mutating func resolve(
        _ bytes: borrowing RawSpan, _ prefix: Int, _ length: Int, _ limits: borrowing XMLLimits
    ) throws(XMLError) -> (entry: Int, identity: Int) {
        var index = bindings.count
        while index > 0 {
            index &-= 1
            let binding = bindings[index]
            if binding.prefixLength == length && bytes.equals(binding.prefix, bytes, prefix, length) {
                return (binding.namespace, binding.identity)
            }
        }
        for source in context.sources.indices where bytes.equals(prefix, length, context.sources[source].prefix) {
            return (try inherit(source, prefix, limits), ~context.sources[source].identity)
        }
        throw XMLError(.unboundPrefix, at: prefix)
    }

    /// Looks up the prefixes of attributes and compares their expanded names.
    mutating func resolveAttributes(
        _ bytes: borrowing RawSpan, _ first: Int, _ limits: borrowing XMLLimits
    ) throws(XMLError) {
        qualified.truncate(to: 0)
        let end = entries.count
        var index = first
        while index < end {
            let entry = entries[index]
            index &+= 1
            guard entry.isAttribute, entry.prefixLength > 0 else { continue }
            let isXML = entry.prefixLength == 4 && isXMLPrefix(bytes, Int(entry.first))
            // An attribute with the prefix `xml` has no entry for its namespace.
            let namespace =
                isXML
                ? (entry: 0, identity: ~0)
                : try resolve(bytes, Int(entry.first), entry.prefixLength &- 1, limits)
            try checkExpanded(bytes, Qualified(attribute: entry, identity: namespace.identity))
            if isXML { continue }
            // An inherited namespace has no offset yet: this entry gets it together with the other one.
            let source = Int(entries[namespace.entry].third)
            if source > 0 { inherited.append(Inherited(entry: index, source: source &- 1)) }
            entries[index] = entries[namespace.entry]
            index &+= 1
        }
    }

    @inline(__always)
    private mutating func checkExpanded(
        _ bytes: borrowing RawSpan, _ attribute: Qualified
    ) throws(XMLError) {
        let name = attribute.attribute
        var other = 0
        while other < qualified.count {
            let earlier = qualified[other]
            if earlier.identity == attribute.identity && earlier.attribute.localLength == name.localLength
                && bytes.equals(earlier.attribute.localOffset, bytes, name.localOffset, name.localLength)
            {
                throw XMLError(.duplicateExpandedName, at: name.name)
            }
            other &+= 1
        }
        qualified.append(attribute)
    }

    // MARK: Namespaces of the stream header

    /// The entry for a namespace of the context, created at its first use. Until the element is complete, its `third`
    /// is the one-based number of the source.
    private mutating func inherit(
        _ source: Int, _ place: Int, _ limits: borrowing XMLLimits
    ) throws(XMLError) -> Int {
        if sources[source].entry != 0 { return sources[source].entry }
        inheritedBytes &+= context.sources[source].namespace.count
        if place &+ inheritedBytes > limits.elementBytes { throw XMLError(.elementTooLarge, at: place) }
        let entry = entries.count
        sources[source].entry = entry
        inherited.append(Inherited(entry: entry, source: source))
        entries.append(TapeEntry(.namespace, 0, 0, source &+ 1))
        return entry
    }

    @inline(never)
    mutating func forgetInherited() {
        inherited.removeAll(keeping: TapeBuilder.keptEntries)
        inheritedBytes = 0
        var index = 0
        while index < sources.count {
            sources[index] = Source()
            index &+= 1
        }
    }

    /// Places the inherited namespaces after the `total` bytes, and adds their size to it.
    @inline(never)
    mutating func placeInherited(_ total: inout Int) {
        var index = 0
        while index < inherited.count {
            let use = inherited[index]
            let length = context.sources[use.source].namespace.count
            if sources[use.source].offset == 0 {
                sources[use.source].offset = total
                total &+= length
            }
            entries[use.entry] = TapeEntry(.namespace, sources[use.source].offset, length)
            index &+= 1
        }
    }

    @inline(never)
    func copyInherited(to target: UnsafeMutableRawPointer, at start: Int) {
        var index = 0
        while index < sources.count {
            let offset = sources[index].offset
            if offset > 0 {
                context.sources[index].namespace.withUnsafeBytes {
                    TapeBuilder.copy($0, to: target, at: start &+ offset)
                }
            }
            index &+= 1
        }
    }
}
