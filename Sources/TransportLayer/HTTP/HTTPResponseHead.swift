/// The status and the header fields of a response of HTTP/1 (RFC 9112 §4, §5).
struct HTTPResponseHead {
    struct Malformed: Error {
        var description: String
    }

    let status: Int
    /// The values by the name in lower case, in their order.
    let fields: [String: [String]]

    /// The position after the empty line that ends the header; `nil` if it is not there yet.
    static func end(in bytes: [UInt8], from start: Int = 0) -> Int? {
        guard start <= bytes.count - 4 else { return nil }
        for index in start...(bytes.count - 4)
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
            return index + 4
        }
        return nil
    }

    /// - Parameter header: without the empty line.
    init(_ header: ArraySlice<UInt8>, versions: Set<Substring>) throws(Malformed) {
        var lines = Self.lines(header)
        status = try Self.status(lines.removeFirst(), versions)
        var fields: [String: [String]] = [:]
        for line in lines {
            // A line that begins with a space would continue the previous one, which is obsolete (RFC 9112 §5.2).
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
                !line.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 })
            else { throw Malformed(description: "A line of the server's answer is not a header field.") }
            let value = line[line.index(after: colon)...].drop { $0 == 0x20 || $0 == 9 }
            let end = value.lastIndex { $0 != 0x20 && $0 != 9 }
            let text = end.map { String(decoding: value[...$0], as: UTF8.self) } ?? ""
            fields[String(decoding: line[..<colon], as: UTF8.self).lowercased(), default: []].append(text)
        }
        self.fields = fields
    }

    /// The lines, without the CR LF between them.
    private static func lines(_ header: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = header.startIndex
        var index = start
        while index < header.endIndex {
            if header[index] == 13, index + 1 < header.endIndex, header[index + 1] == 10 {
                lines.append(header[start..<index])
                start = index + 2
                index = start
            } else {
                index += 1
            }
        }
        return lines + [header[start...]]
    }

    private static func status(_ line: ArraySlice<UInt8>, _ versions: Set<Substring>) throws(Malformed) -> Int {
        let text = String(decoding: line, as: UTF8.self)
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, versions.contains(parts[0]), parts[1].utf8.count == 3,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(parts[1])
        else { throw Malformed(description: "The server does not use HTTP/1.1.") }
        return status
    }
}
