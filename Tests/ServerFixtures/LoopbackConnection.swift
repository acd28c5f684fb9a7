import Foundation
import Glibc

/// A plain TCP connection to 127.0.0.1 with blocking calls and a timeout for each, to test a server from outside.
public struct LoopbackConnection: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Connects, or throws immediately if there is no listener. The timeout is for each later call; a loaded machine
    /// needs a long one.
    public init(port: UInt16, timeout: Duration = .seconds(120)) throws(FixtureError) {
        let descriptor = try LoopbackSocket.make()
        Self.limit(descriptor, to: timeout)
        guard LoopbackSocket.connect(descriptor, port: port) else {
            let number = errno
            close(descriptor)
            throw .system("Cannot connect to 127.0.0.1:\(port)", errno: number)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Changes the timeout of later calls.
    public func wait(upTo timeout: Duration) { Self.limit(descriptor, to: timeout) }

    private static func limit(_ descriptor: Int32, to timeout: Duration) {
        var limit = timeval()
        limit.tv_sec = Int(timeout.components.seconds)
        limit.tv_usec = Int(timeout.components.attoseconds / 1_000_000_000_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends all of the text.
    public func send(_ text: String) throws(FixtureError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // A call with a timeout is not repeated by the system after a signal.
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { throw .system("Cannot send", errno: errno) }
            rest = rest.dropFirst(sent)
        }
    }

    /// The received bytes, at least one; `nil` if the other side has closed; throws on a timeout.
    public func receive() throws(FixtureError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var count = 0
        repeat {
            count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .system("Nothing received", errno: errno) }
        return count == 0 ? nil : Array(buffer[..<count])
    }

    /// Everything up to and including the first occurrence of `end`, or up to the end of the connection.
    public func receive(until end: String) throws(FixtureError) -> String {
        var text = ""
        while !text.contains(end), let bytes = try receive() {
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    /// Makes an HTTP/1.1 request on a new connection; returns the status and the body.
    static func post(_ path: String, json: String, port: UInt16) throws(FixtureError) -> (status: Int, body: String) {
        let connection = try LoopbackConnection(port: port)
        try connection.send(
            """
            POST \(path) HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/json\r
            Content-Length: \(json.utf8.count)\r
            Connection: close\r
            \r
            \(json)
            """)
        var answer = ""
        while let bytes = try connection.receive() { answer += String(decoding: bytes, as: UTF8.self) }
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
        let words = parts.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]) else {
            throw FixtureError(.controlRefused, "No HTTP answer to \(path): \(answer.prefix(200))")
        }
        return (status, parts.count > 1 ? String(parts[1]) : "")
    }
}
