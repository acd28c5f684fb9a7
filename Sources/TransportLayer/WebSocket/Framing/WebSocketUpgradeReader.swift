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
        guard let end = HTTPResponseHead.end(in: buffer, from: searched), end <= limit else {
            guard buffer.count <= limit else {
                throw .invalid("The header of the server's answer is longer than \(limit) bytes.")
            }
            return nil
        }
        try check(buffer[..<(end - 4)])
        return Array(buffer[end...])
    }

    private func check(_ header: ArraySlice<UInt8>) throws(Failure) {
        let head: HTTPResponseHead
        do throws(HTTPResponseHead.Malformed) {
            head = try HTTPResponseHead(header, versions: ["HTTP/1.1"])
        } catch {
            throw .invalid(error.description)
        }
        let (status, fields) = (head.status, head.fields)
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

    private static func tokens(_ values: [String]?) -> [String] {
        (values ?? []).flatMap { $0.lowercased().split(separator: ",") }.map { $0.filter { $0 != " " && $0 != "\t" } }
    }
}
