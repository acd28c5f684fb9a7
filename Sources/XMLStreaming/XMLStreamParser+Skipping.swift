// An unreadable element ends neither the stream nor what follows it: the part that was read identifies it, and the rest
// is discarded as it arrives.

extension XMLStreamParser {
    /// The element that is being skipped, and what is known about it.
    struct Skipped: Sendable {
        var skipper: ElementSkipper
        var firstChild: XMLElement?
        var reason: XMLError
        /// The start of the element, in bytes from the start of the stream.
        var start: Int
    }

    /// Starts to skip the element that is being read.
    mutating func beginSkipping(because reason: XMLError) {
        let start = discarded + position
        let isTagComplete = unfinishedTag != nil
        // A tag that the tokenizer could not finish is still unchanged in the buffer. A tag that the builder refused is
        // complete, and its values may already be rewritten.
        let read = isTagComplete ? tokenizer.cursor : tokenizer.tokenStart
        builder.resolveRaw(in: &buffer, from: position)
        let known = XMLStreamParser.known(buffer, position, read, tokenizer, builder, isTagComplete: isTagComplete)
        skipped = Skipped(skipper: known.skipper, firstChild: known.firstChild, reason: reason, start: start)
        position += read
    }

    /// Remembers what is known of the element that cannot be read to its end.
    mutating func noteBrokenElement(because reason: XMLError) {
        let broken: Skipped
        if let skipped {
            broken = skipped
        } else {
            builder.resolveRaw(in: &buffer, from: position)
            let known = XMLStreamParser.known(
                buffer, position, buffer.count - position, tokenizer, builder, isTagComplete: false)
            broken = Skipped(
                skipper: known.skipper, firstChild: known.firstChild, reason: reason, start: discarded + position)
        }
        guard broken.skipper.hasReadHead else { return }
        brokenElement = broken.skipper.head.element(
            in: builder.context, firstChild: broken.firstChild, reason: reason, byteCount: reason.offset - broken.start)
    }

    private static func known(
        _ buffer: borrowing [UInt8], _ position: Int, _ read: Int, _ tokenizer: borrowing Tokenizer,
        _ builder: borrowing TapeBuilder, isTagComplete: Bool
    ) -> (skipper: ElementSkipper, firstChild: XMLElement?) {
        let bytes = buffer.span.bytes.extracting(position..<position + read)
        if builder.depth > 0 {
            return (
                ElementSkipper(depth: builder.depth, head: builder.head(bytes)), builder.firstChild(bytes)
            )
        }
        guard isTagComplete else { return (ElementSkipper(), nil) }
        return (ElementSkipper(depth: 0, head: ElementHead(of: tokenizer, bytes)), nil)
    }

    /// Continues reading the skipped element; bytes that were read leave the buffer.
    mutating func skip() throws(XMLError) -> XMLStreamEvent? {
        guard var current = skipped.take() else { return nil }
        var isComplete = false
        if let tag = unfinishedTag {
            unfinishedTag = nil
            isComplete = current.skipper.enter(isEmpty: tag == .emptyElementTag)
        }
        if !isComplete {
            var read = 0
            do throws(XMLError) {
                isComplete = try XMLStreamParser.skip(buffer, position, &current.skipper, &read)
            } catch {
                skipped = current
                throw error
            }
            position += read
        }
        guard isComplete else {
            skipped = current
            return nil
        }
        isInsideElement = false
        return .unreadable(
            current.skipper.head.element(
                in: builder.context, firstChild: current.firstChild, reason: current.reason,
                byteCount: discarded + position - current.start))
    }

    private static func skip(
        _ buffer: borrowing [UInt8], _ position: Int, _ skipper: inout ElementSkipper, _ read: inout Int
    ) throws(XMLError) -> Bool {
        try skipper.skip(buffer.span.bytes.extracting(position..<buffer.count), &read)
    }
}

extension ElementHead {
    /// The content of a start tag that the tokenizer has read, with references resolved.
    init(of tag: borrowing Tokenizer, _ bytes: borrowing RawSpan) {
        self.init()
        setName(bytes.bytes(tag.nameStart, tag.nameLength))
        for index in 0..<tag.attributes.count { take(tag.attributes[index], bytes) }
    }

    mutating func take(_ attribute: TapeEntry, _ bytes: borrowing RawSpan) {
        guard attribute.valueLength <= ElementHead.maximumPartBytes,
            let part = part(named: bytes.bytes(attribute.name, attribute.qualifiedLength))
        else { return }
        set(part, bytes.bytes(attribute.value, attribute.valueLength))
    }
}

extension TapeBuilder {
    /// The content of the start tag of the top-level element, which was read.
    func head(_ bytes: borrowing RawSpan) -> ElementHead {
        let root = entries[TapeEntry.rootIndex]
        var head = ElementHead()
        head.setName(bytes.bytes(root.name, root.qualifiedLength))
        head.namespace = namespace(bytes, Int(root.third))
        for index in TapeEntry.rootIndex + 1..<endOfTag(TapeEntry.rootIndex) where entries[index].isAttribute {
            head.take(entries[index], bytes)
        }
        return head
    }

    /// The start tag of the first child, if it was read and is not too long.
    func firstChild(_ bytes: borrowing RawSpan) -> XMLElement? {
        var index = endOfTag(TapeEntry.rootIndex)
        while index < entries.count, entries[index].isText { index += 1 }
        guard index < entries.count, entries[index].isElement, depth > 1 || entries[index].second != 0 else {
            return nil
        }
        let child = entries[index]
        let space = namespace(bytes, Int(child.third))
        var attributes: [(name: String, value: String)] = []
        var count = child.localLength + space.count
        for index in index + 1..<endOfTag(index) {
            let attribute = entries[index]
            guard attribute.isAttribute, attribute.prefixLength == 0 else { continue }
            count += attribute.localLength + attribute.valueLength
            guard count <= UnreadableElement.maximumChildBytes else { return nil }
            attributes.append(
                (
                    bytes.string(attribute.name, attribute.localLength),
                    bytes.string(attribute.value, attribute.valueLength)
                ))
        }
        guard count <= UnreadableElement.maximumChildBytes else { return nil }
        let name = XMLName(bytes.string(child.localOffset, child.localLength), String(decoding: space, as: UTF8.self))
        return XMLElement(name) { writer in
            for attribute in attributes { writer.attribute(attribute.name, attribute.value) }
        }
    }

    /// The entry after the attributes of an element.
    private func endOfTag(_ element: Int) -> Int {
        var index = element + 1
        while index < entries.count, !entries[index].isElement, !entries[index].isText { index += 1 }
        return index
    }

    /// The bytes of a namespace before the record is complete.
    private func namespace(_ bytes: borrowing RawSpan, _ entry: Int) -> [UInt8] {
        if entry == TapeEntry.inheritedNamespaceIndex { return context.defaultNamespace }
        let space = entries[entry]
        if space.third > 0 { return context.sources[Int(space.third) - 1].namespace }
        return bytes.bytes(Int(space.first), Int(space.second))
    }
}
