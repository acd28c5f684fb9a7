/// Reads the server's response to the upgrade (RFC 6455 §4.1, "the client MUST validate the server's response").
///
/// ```
/// S: HTTP/1.1 101 Switching Protocols
///    Upgrade: websocket
///    Connection: Upgrade
///    Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
///    Sec-WebSocket-Protocol: xmpp
/// ```
/// A pure function of the bytes, in pieces of any size. Redirects are not followed, because trust was decided for the
/// original server.
public struct WebSocketUpgradeReader: ~Copyable, Sendable {
    /// Why the server's response is not an upgrade.
    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The server responded with a status other than 101.
        case status(Int, location: String?)
        /// The response violates the protocol.
        case invalid(String)

        public var description: String {
            switch self {
            case .status(let status, let location?):
                "The server redirects to \(location) (status \(status)), which is not followed."
            case .status(let status, nil): "The server answered with status \(status)."
            case .invalid(let words): words
            }
        }
    }

    private let accept: String
    private let subprotocol: String
    private let limit: Int
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - accept: the required value of `Sec-WebSocket-Accept`.
    ///   - subprotocol: the only offered subprotocol, which the server must select.
    public init(accept: String, subprotocol: String, limits: WebSocketLimits = WebSocketLimits()) {
        self.accept = accept
        self.subprotocol = subprotocol
        limit = limits.headerBytes
    }

    /// Appends bytes; returns those after the header when it is complete and valid, `nil` before.
    public mutating func append(_ bytes: [UInt8]) throws(Failure) -> [UInt8]? {
        let searched = max(0, buffer.count - 3)
        buffer += bytes
        guard let end = Self.headerEnd(buffer, from: searched), end <= limit else {
            guard buffer.count <= limit else {
                throw .invalid("The header of the server's answer is longer than \(limit) bytes.")
            }
            return nil
        }
        try check(buffer[..<(end - 4)])
        return Array(buffer[end...])
    }

    /// The position after the empty line.
    private static func headerEnd(_ bytes: [UInt8], from start: Int) -> Int? {
        guard start <= bytes.count - 4 else { return nil }
        for index in start...(bytes.count - 4)
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
            return index + 4
        }
        return nil
    }

    private func check(_ header: ArraySlice<UInt8>) throws(Failure) {
        var lines = Self.lines(header)
        let status = try Self.status(lines.removeFirst())
        var fields: [String: [String]] = [:]
        for line in lines {
            // A line that begins with a space would continue the previous one, which is obsolete (RFC 9112 §5.2).
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
                !line.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 })
            else { throw .invalid("A line of the server's answer is not a header field.") }
            let value = line[line.index(after: colon)...].drop { $0 == 0x20 || $0 == 9 }
            let end = value.lastIndex { $0 != 0x20 && $0 != 9 }
            let text = end.map { String(decoding: value[...$0], as: UTF8.self) } ?? ""
            fields[String(decoding: line[..<colon], as: UTF8.self).lowercased(), default: []].append(text)
        }
        guard status == 101 else {
            throw .status(status, location: (300...399).contains(status) ? fields["location"]?.first : nil)
        }
        guard Self.tokens(fields["upgrade"]).contains("websocket"),
            Self.tokens(fields["connection"]).contains("upgrade")
        else { throw .invalid("The server did not change to WebSocket.") }
        guard fields["sec-websocket-accept"] == [accept] else {
            throw .invalid("The server did not prove that it understands WebSocket.")
        }
        guard fields["sec-websocket-extensions"] == nil else {
            throw .invalid("The server uses an extension that was not offered.")
        }
        guard fields["sec-websocket-protocol"] == [subprotocol] else {
            throw .invalid("The server does not support \(subprotocol) over WebSocket.")
        }
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

    private static func status(_ line: ArraySlice<UInt8>) throws(Failure) -> Int {
        let text = String(decoding: line, as: UTF8.self)
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1", parts[1].utf8.count == 3,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(parts[1])
        else { throw .invalid("The server does not use HTTP/1.1.") }
        return status
    }

    private static func tokens(_ values: [String]?) -> [String] {
        (values ?? []).flatMap { $0.lowercased().split(separator: ",") }.map { $0.filter { $0 != " " && $0 != "\t" } }
    }
}
