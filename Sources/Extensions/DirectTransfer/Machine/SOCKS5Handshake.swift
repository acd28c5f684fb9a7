/// The handshake of a connection to a candidate: SOCKS 5 without authentication (RFC 1928 §3, §4, XEP-0065 SOCKS5
/// Bytestreams §5.3.2).
///
///     client: 05 01 00                          server: 05 00
///     client: 05 01 00 03 28 <40 digits> 00 00  server: 05 00 00 03 28 <40 digits> 00 00
struct SOCKS5Handshake: ~Copyable {
    enum Failure: Error, Sendable, Hashable {
        /// The bytes are no such handshake.
        case malformed
        /// The other end requires a password, or refuses the address.
        case refused
    }

    enum Progress: Sendable, Equatable {
        case needsMore
        /// Write these bytes and continue.
        case write([UInt8])
        /// Write these bytes; what follows belongs to the file.
        case finished(write: [UInt8], rest: [UInt8])
    }

    private enum State {
        case greeting
        case request
        case done
    }

    private let isClient: Bool
    /// The digits of the hash of both addresses: what is connected to.
    private let destination: [UInt8]
    private var state = State.greeting
    private var input: [UInt8] = []

    /// The end that connects. Write ``greeting`` first.
    init(connectingTo destination: String) {
        isClient = true
        self.destination = Array(destination.utf8)
    }

    /// The end that was connected to, and expects this destination only.
    init(expecting destination: String) {
        isClient = false
        self.destination = Array(destination.utf8)
    }

    /// What a client writes first: no authentication.
    static let greeting: [UInt8] = [5, 1, 0]

    /// What the client asks for: CONNECT to a domain name, which is the hash, port 0.
    private var request: [UInt8] { [5, 1, 0, 3, UInt8(truncatingIfNeeded: destination.count)] + destination + [0, 0] }

    private var success: [UInt8] { [5, 0, 0, 3, UInt8(truncatingIfNeeded: destination.count)] + destination + [0, 0] }

    mutating func received(_ bytes: [UInt8]) throws(Failure) -> Progress {
        input += bytes
        return isClient ? try clientReceived() : try serverReceived()
    }

    private mutating func clientReceived() throws(Failure) -> Progress {
        switch state {
        case .greeting:
            guard input.count >= 2 else { return .needsMore }
            guard input[0] == 5 else { throw .malformed }
            guard input[1] == 0 else { throw .refused }
            input.removeFirst(2)
            state = .request
            return .write(request)
        case .request:
            guard input.count >= 2 else { return .needsMore }
            guard input[0] == 5 else { throw .malformed }
            guard input[1] == 0 else { throw .refused }
            guard let length = try addressLength(), input.count >= length else { return .needsMore }
            input.removeFirst(length)
            state = .done
            defer { input = [] }
            return .finished(write: [], rest: input)
        case .done: throw .malformed
        }
    }

    private mutating func serverReceived() throws(Failure) -> Progress {
        switch state {
        case .greeting:
            guard input.count >= 2 else { return .needsMore }
            guard input[0] == 5 else { throw .malformed }
            let length = 2 + Int(input[1])
            guard input.count >= length else { return .needsMore }
            guard input[2..<length].contains(0) else { throw .refused }
            input.removeFirst(length)
            state = .request
            return .write([5, 0])
        case .request:
            guard let length = try addressLength(), input.count >= length else { return .needsMore }
            guard Array(input.prefix(length)) == request else { throw .refused }
            input.removeFirst(length)
            state = .done
            defer { input = [] }
            return .finished(write: success, rest: input)
        case .done: throw .malformed
        }
    }

    /// The length of a request or its reply with the address in it; `nil` as long as that is not known.
    private func addressLength() throws(Failure) -> Int? {
        guard input.count >= 5 else { return nil }
        guard input[0] == 5, input[2] == 0 else { throw .malformed }
        switch input[3] {
        case 1: return 4 + 4 + 2
        case 3: return 5 + Int(input[4]) + 2
        case 4: return 4 + 16 + 2
        default: throw .malformed
        }
    }
}
