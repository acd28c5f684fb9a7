@preconcurrency internal import Dispatch
internal import Glibc

/// Decodes the bytes from a terminal into keys.
///
/// Supports UTF-8, the usual control keys, the cursor keys of ANSI terminals in both modes, and bracketed paste, so
/// that a pasted line break is text and does not send half a message.
struct KeyDecoder {
    enum Key: Equatable {
        case text(String)
        case enter, backspace, delete, tab
        case left, right, up, down, home, end, wordLeft, wordRight, pageUp, pageDown
        case deleteToStart, deleteToEnd, deleteWord
        case interrupt, endOfInput, redraw
        /// Alt+A: the next conversation with unread messages.
        case nextUnread
        /// Alt+1 … Alt+9: the conversation with this number in the list.
        case conversation(Int)
    }

    private var pending: [UInt8] = []
    private var isPasting = false

    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    /// Terminals send no longer sequences, so a longer unfinished one is invalid.
    private static let maximumSequenceLength = 16

    /// The keys in `bytes`. An unfinished character or sequence is buffered for the next call.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        var text: [UInt8] = []
        func flushed(_ text: inout [UInt8]) -> [Key] {
            defer { text = [] }
            return text.isEmpty ? [] : [.text(String(decoding: text, as: UTF8.self))]
        }
        while let byte = pending.first {
            if byte == 0x1B {
                keys += flushed(&text)
                guard let (key, length) = escapeSequence() else { break }
                pending.removeFirst(length)
                if let key { keys.append(key) }
            } else if isPasting && (byte == 0x0D || byte == 0x0A) {
                text.append(0x0A)
                pending.removeFirst()
            } else if byte < 0x20 || byte == 0x7F {
                keys += flushed(&text)
                pending.removeFirst()
                if let key = Self.controlKeys[byte] { keys.append(key) }
            } else {
                let length = Self.utf8Length(byte)
                guard pending.count >= length else { break }
                text += pending.prefix(length)
                pending.removeFirst(length)
            }
        }
        keys += flushed(&text)
        return keys
    }

    /// The key at the start of `pending` and its length; `nil` while it is unfinished.
    private mutating func escapeSequence() -> (key: Key?, length: Int)? {
        if pending.starts(with: Self.pasteStart) {
            isPasting = true
            return (nil, Self.pasteStart.count)
        }
        if pending.starts(with: Self.pasteEnd) {
            isPasting = false
            return (nil, Self.pasteEnd.count)
        }
        guard pending.count >= 2 else { return nil }
        switch pending[1] {
        case UInt8(ascii: "a"): return (.nextUnread, 2)
        case let digit where (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit):
            return (.conversation(Int(digit - UInt8(ascii: "0"))), 2)
        case UInt8(ascii: "b"): return (.wordLeft, 2)
        case UInt8(ascii: "f"): return (.wordRight, 2)
        case 0x7F: return (.deleteWord, 2)
        case UInt8(ascii: "["), UInt8(ascii: "O"): break
        default: return (nil, 1)
        }
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            return pending.count > Self.maximumSequenceLength ? (nil, pending.count) : nil
        }
        let name = String(decoding: pending[2...end], as: UTF8.self)
        return (Self.cursorKeys[name], end + 1)
    }

    private static func utf8Length(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private static let controlKeys: [UInt8: Key] = [
        0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right, 0x08: .backspace,
        0x09: .tab, 0x0A: .enter, 0x0B: .deleteToEnd, 0x0C: .redraw, 0x0D: .enter, 0x0E: .down, 0x10: .up,
        0x15: .deleteToStart, 0x17: .deleteWord, 0x7F: .backspace,
    ]

    private static let cursorKeys: [String: Key] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "1~": .home, "7~": .home, "4~": .end,
        "8~": .end, "3~": .delete, "5~": .pageUp, "6~": .pageDown, "1;5C": .wordRight, "1;5D": .wordLeft,
        "1;3C": .wordRight, "1;3D": .wordLeft,
    ]
}

/// The keyboard input, and changes of the terminal's size.
package struct Keyboard: Sendable {
    enum Event: Sendable {
        case bytes([UInt8])
        case resized
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// Reads `descriptor` until ``stop()`` or its end.
    package init(_ descriptor: Int32 = STDIN_FILENO) {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        self.continuation = continuation
        let queue = DispatchQueue(label: "keyboard")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                continuation.yield(.bytes(Array(buffer.prefix(count))))
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                continuation.finish()
            }
        }
        signal(SIGWINCH, SIG_IGN)
        let size = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
        size.setEventHandler { continuation.yield(.resized) }
        continuation.onTermination = { _ in
            source.cancel()
            size.cancel()
        }
        source.activate()
        size.activate()
    }

    /// Ends the events.
    package func stop() {
        continuation.finish()
    }
}
