import Glibc
import XMLStreaming
import XMPPStanzas

/// The size of reads from a socket with much data.
private let readSize = 16_384

/// Bytes to typed stanzas with their addresses, and the body of each message as text.
func measureStanzas(of path: String) {
    let stream = contents(of: path)
    let start = processorTime()
    let counts = decode(stream)
    let seconds = processorTime() - start
    let microseconds = seconds / Double(max(counts.stanzas, 1)) * 1e6
    print(
        "stanzas \(microseconds) us/stanza stanzas=\(counts.stanzas) bodies=\(counts.bodies) "
            + "bodyBytes=\(counts.bodyBytes) fieldBytes=\(counts.fieldBytes)")
}

private func decode(_ stream: [UInt8]) -> ParseCounts {
    var counts = ParseCounts()
    var parser = XMLStreamParser(limits: .default)
    var decoder = StanzaDecoder()
    do {
        try stream.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + readSize, bytes.count)
                parser.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
                offset = end
                while let event = try parser.next() {
                    guard case .element(let element) = event, let stanza = try decoder.decode(element) else { continue }
                    counts.stanzas += 1
                    guard case .message(let message) = stanza, let body = message.body else { continue }
                    counts.bodies += 1
                    counts.bodyBytes += body.utf8.count
                }
            }
        }
    } catch {
        print("failed: \(error)")
        exit(1)
    }
    return counts
}
