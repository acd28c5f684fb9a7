import JSONRPC

/// Passes arbitrary octets to the parser of JSON and to a connection, and stops on the first violated guarantee.
///
/// What is read is written, and read again as the same. A connection reports the same events whatever the pieces, answers
/// each request once, and reads a good line after any bad one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONRPC(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = UnsafeBufferPointer(start: start, count: count)
    if let value = try? JSONValue(parsing: octets) {
        let text = value.description
        precondition(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "A value is not one line.")
        precondition((try? JSONValue(parsing: text.utf8)) == value, "A value changed its meaning.")
    }
    let good = Array("\n{\"jsonrpc\":\"2.0\",\"id\":\"good\",\"method\":\"m\"}\n".utf8)
    let bytes = Array(octets) + good
    let limits = JSONRPCConnection.Limits(lineLength: 256, requests: 4)
    var whole = JSONRPCConnection(limits: limits)
    let events = whole.received(bytes)
    precondition(events.count <= octets.count / 2 + 3, "There are more events than lines.")
    precondition(whole.requestCount <= limits.requests, "There are too many requests.")
    var slow = JSONRPCConnection(limits: limits)
    var pieces: [JSONRPCConnection.Event] = []
    for byte in bytes { pieces += slow.received(CollectionOfOne(byte)) }
    precondition(pieces == events, "The pieces matter.")
    var isGood = false
    for event in events {
        switch event {
        case .request(let id, _, _):
            precondition(whole.answer(id, .success(.null)) != nil, "A request is not open.")
            precondition(whole.answer(id, .success(.null)) == nil, "A request is answered twice.")
            isGood = isGood || id == .string("good")
        case .write(let line):
            precondition(line.last == UInt8(ascii: "\n") && line.dropLast().allSatisfy { $0 != UInt8(ascii: "\n") })
            isGood = isGood || events.count > limits.requests || String(decoding: line, as: UTF8.self).contains("good")
        case .notification, .response, .refused: break
        }
    }
    precondition(isGood, "A good line was lost.")
    return 0
}
