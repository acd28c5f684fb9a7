import XMLStreaming

/// The guarantees for every input: the sizes of the reads do not matter; writing a parsed element and reading it again
/// gives the same element; and a well-formed element never ends the stream of an authenticated peer.
///
/// The first byte of an input selects the limits and the sizes of the pieces, the rest is the stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: data, count: count))
    guard let choice = input.first else { return 0 }
    let stream = Array(input.dropFirst())
    let small = XMLLimits(depth: 3, elementBytes: 80, attributesPerElement: 3, nameBytes: 9, namespaceBindings: 2)
    let limits = choice & 1 == 0 ? XMLLimits.default : small

    for skips in [false, true] {
        let whole = Reading(stream, pieces: [max(stream.count, 1)], limits, skips: skips)
        let bytewise = Reading(stream, pieces: [1], limits, skips: skips)
        precondition(whole == bytewise, "byte by byte differs")
        let pieces = Reading(stream, pieces: [Int(choice >> 1 & 15) + 1, Int(choice >> 5) + 1], limits, skips: skips)
        precondition(whole == pieces, "pieces differ")
        for event in whole.events {
            switch event {
            case .element(let element), .streamOpened(let element): check(element)
            case .unreadable(let element): precondition(skips && element.startTag.isNamed(element.name))
            case .streamClosed: break
            }
        }
    }
    if let element = try? XMLElement(parsing: stream, limits: limits) { check(element) }
    checkPassage(stream, small)
    return 0
}

/// A valid document is read or skipped on a stream, whatever the limits, and the next element is read.
private func checkPassage(_ document: [UInt8], _ limits: XMLLimits) {
    // An XML declaration is not allowed there.
    guard (try? XMLElement(parsing: document)) != nil, !document.contains(UInt8(ascii: "?")) else { return }
    let stream = Array("<stream>".utf8) + document + Array("<next/>".utf8)
    let events = Reading(stream, pieces: [stream.count], limits, skips: true).events
    precondition(events.count == 3, "an element ends the stream")
    guard case .element(let next) = events[2] else { preconditionFailure("what follows is not read") }
    precondition(next.localName == "next")
}

/// An element is the same after being written alone and as a child.
private func check(_ element: XMLElement) {
    guard let again = try? XMLElement(parsing: element.description) else {
        preconditionFailure("not readable: \(element.description)")
    }
    precondition(again == element, "differs after writing: \(element.description)")
    precondition(again.hashValue == element.hashValue, "hash differs: \(element.description)")
    precondition(again.description == element.description, "writing is not stable")

    let wrapper = XMLElement(XMLName("wrapper", "urn:wrapper")) { $0.write(element) }
    precondition(wrapper.firstChild == element, "differs as a child: \(wrapper.description)")
    for child in element.children { precondition(XMLElement(parsed: child) == child, "a child differs when alone") }

    precondition(Array(element.children).count == element.nodes.filter { $0.isElement }.count)
    for (name, value) in element.attributes {
        precondition(element.attribute(name) == value, "an attribute is not found by its name")
    }
    for case .text(let text) in element.nodes { precondition(!text.isEmpty) }
}

extension XMLElement {
    fileprivate init?(parsed element: XMLElement) {
        guard let parsed = try? XMLElement(parsing: element.description) else { return nil }
        self = parsed
    }
}

extension XMLNode {
    fileprivate var isElement: Bool { if case .element = self { true } else { false } }
}

private struct Reading: Equatable {
    var events: [XMLStreamEvent] = []
    var error: XMLError?

    init(_ bytes: [UInt8], pieces: [Int], _ limits: XMLLimits, skips: Bool) {
        var parser = XMLStreamParser(limits: limits)
        parser.skipsUnreadableElements = skips
        var offset = 0
        var piece = 0
        do throws(XMLError) {
            while offset < bytes.count {
                let end = min(bytes.count, offset + pieces[piece % pieces.count])
                parser.append(Array(bytes[offset..<end]))
                while let event = try parser.next() { events.append(event) }
                precondition(
                    parser.unconsumedByteCount <= limits.elementBytes, "more is kept than an element may have")
                offset = end
                piece += 1
            }
        } catch {
            self.error = error
        }
    }
}
