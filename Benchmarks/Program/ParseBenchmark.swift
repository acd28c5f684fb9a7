import Glibc
import StanzaCorpus
import XMLStreaming

/// The size of reads from a socket with much data.
private let readSize = 16_384
/// The size of a stanza of ``StanzaCorpus/Mix/day`` in bytes.
private let averageSize = 600

func writeCorpus(_ mix: StanzaCorpus.Mix, to path: String, stanzas: Int) {
    guard let file = fopen(path, "w") else {
        perror(path)
        exit(1)
    }
    defer { fclose(file) }
    var corpus = StanzaCorpus(mix)
    fputs(StanzaCorpus.streamHeader, file)
    var bytes = 0
    while bytes < stanzas * averageSize {
        let stanza = corpus.next().xml
        fputs(stanza, file)
        bytes += stanza.utf8.count
    }
    fputs("</stream:stream>", file)
}

func writeStanzas(_ mix: StanzaCorpus.Mix, to path: String, count: Int) {
    guard let file = fopen(path, "w") else {
        perror(path)
        exit(1)
    }
    defer { fclose(file) }
    var corpus = StanzaCorpus(mix)
    for _ in 0..<count { fputs(corpus.next().xml, file) }
}

func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else {
        perror(path)
        exit(1)
    }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let size = ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = fread(buffer.baseAddress, 1, size, file)
    }
}

/// Processor time of this process in seconds.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The content that was read, so that no work is optimised away and the programs can be compared.
struct ParseCounts {
    var stanzas = 0
    var bodies = 0
    var bodyBytes = 0
    var fieldBytes = 0
}

func measureParsing(_ mode: String, of path: String) {
    let stream = contents(of: path)
    let start = processorTime()
    let counts = parse(stream, readsFields: mode != "elements", looksUp: mode == "lookup")
    let seconds = processorTime() - start
    let microseconds = seconds / Double(max(counts.stanzas, 1)) * 1e6
    print(
        "\(mode) \(microseconds) us/stanza stanzas=\(counts.stanzas) bodies=\(counts.bodies) "
            + "bodyBytes=\(counts.bodyBytes) fieldBytes=\(counts.fieldBytes)")
}

private let message = XMLName("message", "jabber:client")
private let body = XMLName("body", "jabber:client")
private let lookups = [
    XMLName("received", "urn:xmpp:receipts"), XMLName("stanza-id", "urn:xmpp:sid:0"),
    XMLName("x", "http://jabber.org/protocol/muc#user"), XMLName("delay", "urn:xmpp:delay"),
]

private func parse(_ stream: [UInt8], readsFields: Bool, looksUp: Bool) -> ParseCounts {
    var counts = ParseCounts()
    var parser = XMLStreamParser(limits: .default)
    do {
        try stream.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + readSize, bytes.count)
                parser.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
                offset = end
                while let event = try parser.next() {
                    guard case .element(let element) = event else { continue }
                    counts.stanzas += 1
                    if readsFields {
                        counts.fieldBytes += element["from"]?.utf8.count ?? 0
                        counts.fieldBytes += element["to"]?.utf8.count ?? 0
                        counts.fieldBytes += element["id"]?.utf8.count ?? 0
                        counts.fieldBytes += element["type"]?.utf8.count ?? 0
                    }
                    if looksUp {
                        for name in lookups where element.firstChild(name) != nil { counts.fieldBytes += 1 }
                    }
                    if element.isNamed(message), let body = element.firstChild(body) {
                        counts.bodies += 1
                        counts.bodyBytes += body.text.utf8.count
                    }
                }
            }
        }
    } catch {
        print("failed: \(error)")
        exit(1)
    }
    return counts
}
