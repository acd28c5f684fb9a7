// The fast path for nearly all of a stream: tags and text that are complete in the buffer and have unprefixed ASCII names.
// One pass from the bytes to the tape, with all state in local variables. Everything else,
// and every error, is left to the tokenizer, which starts over at the same token.

extension TapeBuilder {
    /// Reads plain tags and text from `cursor`, inside an element or at its beginning, and leaves the cursor after the
    /// last of them; returns `true` when the top-level element is complete.
    ///
    /// Words are loaded without their own bounds check: before each load, its offset is compared with `last`, the last
    /// offset from which eight bytes can be read.
    mutating func readPlainContent(
        _ bytes: borrowing RawSpan, _ cursor: inout Int, limits: borrowing XMLLimits
    ) -> Bool {
        let last = bytes.byteCount &- 8
        var i = cursor
        while i <= last {
            let word = bytes.word(unchecked: i)
            if UInt8(truncatingIfNeeded: word) != UInt8(ascii: "<") {
                var isRaw = false
                let end = PlainScan.text(bytes, i, last, &isRaw)
                guard end >= 0 else { return false }
                if isRaw { raw.append(entries.count) }
                text(i, end &- i)
                i = end
                cursor = end
                continue
            }
            if UInt8(truncatingIfNeeded: word &>> 8) == UInt8(ascii: "/") {
                let end = plainEndTag(bytes, i &+ 2)
                guard end >= 0 else { return false }
                i = end
            } else {
                let entry = entries.count
                let outerNamespace = defaultNamespace
                let outerRaw = raw.count
                let end = plainStartTag(bytes, i &+ 1, last, limits)
                guard end >= 0 else {
                    entries.truncate(to: entry)
                    raw.truncate(to: outerRaw)
                    defaultNamespace = outerNamespace
                    return false
                }
                i = end
            }
            cursor = i
            if frames.count == 0 { return true }
        }
        return false
    }

    /// Reads the end tag whose name begins at `name`, if it matches the innermost open element and only `>` follows;
    /// returns its end, or -1.
    @inline(__always)
    private mutating func plainEndTag(_ bytes: borrowing RawSpan, _ name: Int) -> Int {
        let depth = frames.count &- 1
        guard depth >= 0 else { return -1 }
        let frame = frames[depth]
        let open = entries[frame.entry]
        let close = name &+ open.qualifiedLength
        guard close < bytes.byteCount, bytes[close] == UInt8(ascii: ">"),
            bytes.equals(name, bytes, open.name, open.qualifiedLength)
        else { return -1 }
        frames.truncate(to: depth)
        entries[frame.entry].second = UInt32(truncatingIfNeeded: entries.count)
        defaultNamespace = frame.outerNamespace
        bindings.truncate(to: frame.outerBindings)
        return close &+ 1
    }

    /// Reads the start tag or empty-element tag whose name begins at `name`; returns its end, or -1 after leaving
    /// entries that the caller removes.
    @inline(__always)
    private mutating func plainStartTag(
        _ bytes: borrowing RawSpan, _ name: Int, _ last: Int, _ limits: borrowing XMLLimits
    ) -> Int {
        let nameEnd = PlainScan.name(bytes, name, last)
        guard nameEnd >= 0, nameEnd &- name <= limits.nameBytes, frames.count < limits.depth else { return -1 }
        let outerNamespace = defaultNamespace
        let entry = entries.count
        entries.append(TapeEntry(.element, name, 0, 0, name: nameEnd &- name))
        var i = nameEnd
        while i < bytes.byteCount, XMLCharacters.isWhitespace(bytes[i]) {
            i &+= 1
            if i < bytes.byteCount, bytes[i] == UInt8(ascii: "/") { break }
            guard entries.count &- entry <= limits.attributesPerElement else { return -1 }
            let end = plainAttribute(bytes, i, last, entry, limits)
            i = end >= 0 ? end : PlainScan.tagEnd(bytes, i)
            guard i >= 0 else { return -1 }
        }
        guard i &+ 1 < bytes.byteCount else { return -1 }
        entries[entry].third = UInt32(truncatingIfNeeded: defaultNamespace)
        if bytes[i] == UInt8(ascii: ">") {
            frames.append(Frame(entry: entry, outerNamespace: outerNamespace, outerBindings: bindings.count))
            return i &+ 1
        }
        guard bytes[i] == UInt8(ascii: "/"), bytes[i &+ 1] == UInt8(ascii: ">") else { return -1 }
        entries[entry].second = UInt32(truncatingIfNeeded: entries.count)
        defaultNamespace = outerNamespace
        return i &+ 2
    }

    /// Reads an unprefixed attribute, `xml:lang`, or the declaration of the default namespace; returns its end, or -1.
    @inline(__always)
    private mutating func plainAttribute(
        _ bytes: borrowing RawSpan, _ name: Int, _ last: Int, _ element: Int, _ limits: borrowing XMLLimits
    ) -> Int {
        guard name <= last else { return -1 }
        let word = bytes.word(unchecked: name)
        if word & PlainScan.xmlnsMask == PlainScan.xmlns {
            let value = name &+ 7
            let end = PlainScan.value(bytes, value, last, UInt8(truncatingIfNeeded: word &>> 48))
            // The tokenizer handles a second declaration and one that may name a reserved or a replaced namespace.
            guard end >= 0, end &- value <= limits.namespaceBytes, defaultNamespace < element,
                end &- value != replacedLength,
                !PlainScan.mayBeReserved(bytes, value, end &- value)
            else { return -1 }
            defaultNamespace = entries.count
            entries.append(TapeEntry(.namespace, value, end &- value))
            return end &+ 1
        }
        var nameEnd = name &+ 8
        var prefixLength = 0
        if word == PlainScan.xmlLang {
            prefixLength = 4
        } else {
            nameEnd = PlainScan.name(bytes, name, last)
        }
        guard nameEnd >= 0, nameEnd &- name <= limits.nameBytes, nameEnd &+ 1 < bytes.byteCount,
            bytes[nameEnd] == UInt8(ascii: "=")
        else { return -1 }
        let quote = bytes[nameEnd &+ 1]
        guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return -1 }
        let value = nameEnd &+ 2
        var end = PlainScan.value(bytes, value, last, quote)
        if end < 0 {
            end = rawValue(bytes, value, last, quote)
            guard end >= 0 else { return -1 }
        }
        let attribute = TapeEntry(
            .attribute, name, value, end &- value, prefix: prefixLength, name: nameEnd &- name &- prefixLength)
        if isRepeated(bytes, attribute, after: element) { return -1 }
        entries.append(attribute)
        return end &+ 1
    }

    /// Reads a value that may be raw, and records that its entry is the next one; returns the offset of its quote, or -1.
    @inline(never)
    private mutating func rawValue(_ bytes: borrowing RawSpan, _ value: Int, _ last: Int, _ quote: UInt8) -> Int {
        raw.append(entries.count)
        return PlainScan.rawValue(bytes, value, last, quote)
    }

    @inline(__always)
    private func isRepeated(_ bytes: borrowing RawSpan, _ attribute: TapeEntry, after element: Int) -> Bool {
        var other = element &+ 1
        while other < entries.count {
            let earlier = entries[other]
            if earlier.packed == attribute.packed
                && bytes.equals(earlier.name, bytes, attribute.name, attribute.qualifiedLength)
            {
                return true
            }
            other &+= 1
        }
        return false
    }
}
