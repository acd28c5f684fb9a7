import WebSocketFraming

/// The guarantees for every input: the sizes of the reads do not matter; memory stays within the limits; writing a
/// parsed event and reading it again gives the same event; and a connection ends once.
///
/// The first byte of an input selects the side, the limits and the sizes of the pieces, the rest comes from the peer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebSocket(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let role: WebSocketRole = choice & 1 == 0 ? .client : .server
    var limits = WebSocketLimits()
    if choice & 2 != 0 { (limits.messageBytes, limits.headerBytes) = (20, 150) }
    let pieces = [Int(choice >> 2 & 7) + 1, Int(choice >> 5) + 1]

    let whole = Reading(bytes, role, limits, pieces: [max(bytes.count, 1)])
    precondition(whole == Reading(bytes, role, limits, pieces: [1]), "byte by byte differs")
    precondition(whole == Reading(bytes, role, limits, pieces: pieces), "pieces differ")
    for event in whole.events { check(event, limits) }
    converse(bytes, role, limits, pieces)

    let answer = Answer(bytes, limits, pieces: [max(bytes.count, 1)])
    precondition(answer == Answer(bytes, limits, pieces: [1]), "an answer byte by byte differs")
    precondition(answer == Answer(bytes, limits, pieces: pieces), "an answer in pieces differs")
    return 0
}

/// An event is the same after being written by either side and read by the other.
private func check(_ event: WebSocketEvent, _ limits: WebSocketLimits) {
    let (opcode, payload): (WebSocketOpcode, [UInt8]) =
        switch event {
        case .text(let text): (.text, text)
        case .ping(let payload): (.ping, payload)
        case .pong(let payload): (.pong, payload)
        case .close(let closure): (.close, closure.map { WebSocketFrame.closePayload($0) } ?? [])
        }
    precondition(opcode != .text || payload.count <= limits.messageBytes, "a message is too long")
    for (role, mask) in [(WebSocketRole.client, nil), (.server, 0x1234_5678)] as [(WebSocketRole, UInt32?)] {
        let bytes = WebSocketFrame.encode(opcode, payload, mask: mask)
        precondition(Reading(bytes, role, limits, pieces: [3]).events == [event], "differs after writing")
    }
}

/// A connection accepts any input, and sends nothing after its end.
private func converse(_ bytes: [UInt8], _ role: WebSocketRole, _ limits: WebSocketLimits, _ pieces: [Int]) {
    var connection = WebSocketConnection(role: role, limits: limits)
    var generator = Counter()
    var isOver = false
    var rest = bytes[...]
    var piece = 0
    while !rest.isEmpty {
        if bytes.count > 100, piece == 5 { _ = connection.close(using: &generator) }
        let part = Array(rest.prefix(pieces[piece % pieces.count]))
        rest = rest.dropFirst(part.count)
        piece += 1
        for action in connection.bytesReceived(part, using: &generator) {
            precondition(!isOver, "something follows the end")
            switch action {
            case .ended, .failed: isOver = true
            case .write, .message: break
            }
        }
        precondition(!isOver || !connection.isOpen, "open after its end")
    }
    precondition(!isOver || connection.send([0x61], using: &generator) == nil, "a message after the end")
}

private struct Reading: Equatable {
    var events: [WebSocketEvent] = []
    var error: WebSocketError?

    init(_ bytes: [UInt8], _ role: WebSocketRole, _ limits: WebSocketLimits, pieces: [Int]) {
        var reader = WebSocketFrameReader(role: role, limits: limits)
        var rest = bytes[...]
        var piece = 0
        do throws(WebSocketError) {
            while !rest.isEmpty {
                let part = Array(rest.prefix(pieces[piece % pieces.count]))
                rest = rest.dropFirst(part.count)
                piece += 1
                reader.append(part)
                while let event = try reader.next() { events.append(event) }
                // A header that is not complete, a control frame, and the message.
                precondition(reader.heldByteCount <= limits.messageBytes + 14 + 125, "too much is held")
            }
        } catch {
            self.error = error
        }
    }
}

private struct Answer: Equatable {
    /// The bytes after the header; `nil` while it is not complete.
    var rest: [UInt8]?
    var failure: WebSocketUpgradeReader.Failure?

    init(_ bytes: [UInt8], _ limits: WebSocketLimits, pieces: [Int]) {
        var reader = WebSocketUpgradeReader(accept: "a", subprotocol: "xmpp", limits: limits)
        var left = bytes[...]
        var piece = 0
        do throws(WebSocketUpgradeReader.Failure) {
            while !left.isEmpty {
                let part = Array(left.prefix(pieces[piece % pieces.count]))
                left = left.dropFirst(part.count)
                piece += 1
                if let early = try reader.append(part) {
                    rest = early + left
                    return
                }
            }
        } catch {
            failure = error
        }
    }
}

/// Distinguishable masks that are the same in every run.
private struct Counter: RandomNumberGenerator {
    private var last: UInt64 = 0

    mutating func next() -> UInt64 {
        last &+= 0x9E37_79B9_7F4A_7C15
        return last
    }
}
