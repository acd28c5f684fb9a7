/// Walks over the content of an element in document order; adjacent runs of text are one step.
private struct ContentWalk {
    enum Step {
        case start(Int)
        case text(ClosedRange<Int>)
        case end
    }

    let record: [TapeEntry]
    private var position: Int
    private var ends: [Int] = []

    init(_ element: XMLElement) {
        record = element.record
        position = element.index
    }

    /// The next step; the first one starts the element the walk began with, the last one ends it.
    mutating func next() -> Step {
        while true {
            if let end = ends.last, position >= end {
                ends.removeLast()
                return .end
            }
            let entry = record[position]
            if entry.isElement {
                defer { position += 1 }
                ends.append(Int(entry.second))
                return .start(position)
            }
            if entry.isText { return .text(textRun()) }
            position += 1
        }
    }

    private mutating func textRun() -> ClosedRange<Int> {
        let first = position
        var last = position
        while position < ends[ends.count - 1], !record[position].isElement {
            if record[position].isText { last = position }
            position += 1
        }
        return first...last
    }

    /// Whether only what follows the element is left.
    var isDone: Bool { ends.isEmpty }
}

extension XMLElement: Hashable {
    public static func == (left: XMLElement, right: XMLElement) -> Bool {
        var leftWalk = ContentWalk(left)
        var rightWalk = ContentWalk(right)
        repeat {
            switch (leftWalk.next(), rightWalk.next()) {
            case (.start(let leftStart), .start(let rightStart)):
                let leftElement = XMLElement(record: left.record, index: leftStart)
                let rightElement = XMLElement(record: right.record, index: rightStart)
                guard leftElement.hasSameTag(as: rightElement) else { return false }
            case (.text(let leftText), .text(let rightText)):
                guard left.textBytes(leftText) == right.textBytes(rightText) else { return false }
            case (.end, .end): break
            default: return false
            }
        } while !leftWalk.isDone
        return rightWalk.isDone
    }

    public func hash(into hasher: inout Hasher) {
        var walk = ContentWalk(self)
        repeat {
            switch walk.next() {
            case .start(let position): XMLElement(record: record, index: position).hashTag(into: &hasher)
            case .text(let range):
                hasher.combine(1 as UInt8)
                hasher.combine(textBytes(range))
            case .end: hasher.combine(2 as UInt8)
            }
        } while !walk.isDone
    }

    private func hasSameTag(as other: XMLElement) -> Bool {
        guard name == other.name else { return false }
        var count = 0
        for (name, value) in attributes {
            guard other.attribute(name) == value else { return false }
            count += 1
        }
        return other.attributes.reduce(0) { total, _ in total + 1 } == count
    }

    private func hashTag(into hasher: inout Hasher) {
        hasher.combine(0 as UInt8)
        hasher.combine(name)
        var sum = 0
        for (name, value) in attributes {
            // Order does not matter, so the attributes' hashes are added.
            var own = Hasher()
            own.combine(name)
            own.combine(value)
            sum &+= own.finalize()
        }
        hasher.combine(sum)
    }

    private func textBytes(_ entries: ClosedRange<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        for position in entries where record[position].isText {
            let entry = record[position]
            bytes += record.span.bytes.bytes(bytesOffset + Int(entry.first), Int(entry.second))
        }
        return bytes
    }
}
