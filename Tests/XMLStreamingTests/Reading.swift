import XMLStreaming

/// What a parser made of some bytes: its events and the error that ended it.
struct Reading: Equatable {
    var events: [XMLStreamEvent] = []
    var error: XMLError?
    /// The element in which it ended.
    var broken: UnreadableElement?

    /// Feeds a stream parser with pieces of the given sizes, the last of which is repeated.
    init(_ bytes: [UInt8], pieces: [Int], limits: XMLLimits = .default, skips: Bool = false) {
        var parser = XMLStreamParser(limits: limits)
        parser.skipsUnreadableElements = skips
        var offset = 0
        var piece = 0
        do throws(XMLError) {
            while offset < bytes.count {
                let end = min(bytes.count, offset + pieces[min(piece, pieces.count - 1)])
                parser.append(Array(bytes[offset..<end]))
                while let event = try parser.next() { events.append(event) }
                offset = end
                piece += 1
            }
        } catch {
            self.error = error
            broken = parser.brokenElement
        }
    }

    init(whole bytes: [UInt8], limits: XMLLimits = .default, skips: Bool = false) {
        self.init(bytes, pieces: [max(bytes.count, 1)], limits: limits, skips: skips)
    }

    var elements: [XMLElement] {
        events.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    var unreadable: [UnreadableElement] {
        events.compactMap { if case .unreadable(let element) = $0 { element } else { nil } }
    }
}
