// The attributes that XMPPStanzas reads from every element. This code has no generics and no closures that return a
// value, so that nothing has to be specialised across modules, and no strings for values that are only compared.

/// The value of an attribute: its position in the record of its element.
package struct XMLAttributeValue: Sendable {
    fileprivate var offset: UInt32 = 0
    fileprivate var length: UInt32 = .max

    package var isPresent: Bool { length != .max }
}

/// The attributes that every stanza may have (RFC 6120 §8.1), found in one pass over the tag.
package struct StanzaAttributes: Sendable {
    package fileprivate(set) var to = XMLAttributeValue()
    package fileprivate(set) var from = XMLAttributeValue()
    package fileprivate(set) var id = XMLAttributeValue()
    package fileprivate(set) var type = XMLAttributeValue()
    package fileprivate(set) var language = XMLAttributeValue()

    // Names as words whose unused bytes are 0. A name contains no 0, so different names give different words.
    fileprivate static var toName: UInt64 { 0x6F74 }
    fileprivate static var fromName: UInt64 { 0x6D6F_7266 }
    fileprivate static var idName: UInt64 { 0x6469 }
    fileprivate static var typeName: UInt64 { 0x6570_7974 }
    fileprivate static var languageName: UInt64 { 0x676E_616C_3A6C_6D78 }
}

extension XMLElement {
    package var stanzaAttributes: StanzaAttributes {
        var attributes = StanzaAttributes()
        let bytes = record.span.bytes
        let base = bytesOffset
        let end = Int(record[index].second)
        var position = index &+ 1
        while position < end {
            let entry = record[position]
            if entry.isElement || entry.isText { break }
            if entry.isAttribute && entry.qualifiedLength <= 8 {
                let value = XMLAttributeValue(offset: entry.second, length: entry.third)
                switch bytes.shortWord(base &+ entry.name, entry.qualifiedLength) {
                case StanzaAttributes.toName: attributes.to = value
                case StanzaAttributes.fromName: attributes.from = value
                case StanzaAttributes.idName: attributes.id = value
                case StanzaAttributes.typeName: attributes.type = value
                case StanzaAttributes.languageName: attributes.language = value
                default: break
                }
            }
            position &+= 1
        }
        return attributes
    }

    /// Whether the element has this name, given in ASCII.
    package func isNamed(_ local: StaticString, _ namespace: StaticString) -> Bool {
        let entry = record[index]
        guard entry.localLength == local.utf8CodeUnitCount else { return false }
        let space = record[Int(entry.third)]
        return contentEquals(entry.localOffset, entry.localLength, local)
            && contentEquals(Int(space.first), Int(space.second), namespace)
    }

    private func contentEquals(_ offset: Int, _ length: Int, _ word: StaticString) -> Bool {
        let wanted = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount).bytes
        return length == wanted.byteCount && record.span.bytes.equals(bytesOffset &+ offset, wanted, 0, length)
    }

    package func string(_ value: XMLAttributeValue) -> String? {
        value.isPresent ? content(Int(value.offset), Int(value.length)) : nil
    }

    /// Passes the bytes of a value to a closure; none if the attribute is absent.
    package func withUTF8(_ value: XMLAttributeValue, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard value.isPresent else { return }
        let start = bytesOffset &+ Int(value.offset)
        record.span.bytes.extracting(start..<start &+ Int(value.length)).withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { body($0) }
        }
    }

    /// The text of the child with this name that has no `xml:lang`, otherwise of the first one; `nil` without such a
    /// child.
    package func text(ofChild name: XMLName) -> String? {
        var first: XMLElement?
        var child = firstChild(name)
        while let found = child {
            if !found.stanzaAttributes.language.isPresent { return found.text }
            if first == nil { first = found }
            child = firstChild(name, from: Int(record[found.index].second))
        }
        return first?.text
    }
}

extension RawSpan {
    /// Up to eight bytes as a word; missing bytes are 0.
    @inline(__always)
    fileprivate func shortWord(_ offset: Int, _ length: Int) -> UInt64 {
        if offset &+ 8 <= byteCount {
            return word(offset) & (~0 &>> (UInt64(truncatingIfNeeded: 8 &- length) &* 8))
        }
        var result: UInt64 = 0
        var index = length
        while index > 0 {
            index &-= 1
            result = result &<< 8 | UInt64(self[offset &+ index])
        }
        return result
    }
}
