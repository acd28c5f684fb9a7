import XMLStreaming

/// How a client asks a proxy for a connection, without I/O.
protocol ProxyHandshake: Sendable {
    /// What is written first.
    mutating func start() -> [UInt8]

    /// - Throws: ``TransportError`` with `proxyFailed`, or `invalidConfiguration` if the proxy wants other credentials.
    mutating func received(_ bytes: [UInt8]) throws(TransportError) -> ProxyStep
}

enum ProxyStep: Equatable, Sendable {
    case write([UInt8])
    case wait
    /// The bytes that follow are those of the server.
    case connected
}

/// SOCKS 5 (RFC 1928) with a name and a password (RFC 1929) or without.
///
///     C: 05 01 00          S: 05 00          C: 05 01 00 03 0c "xmpp.example" 14 66     S: 05 00 00 01 …
struct SOCKSHandshake: ProxyHandshake {
    private enum State {
        case choosing, authenticating, connecting
    }

    /// The longest name, password or host in bytes: their length is one byte.
    static let maximumName = 255

    private static let version: UInt8 = 5
    private static let withoutCredentials: UInt8 = 0
    private static let withPassword: UInt8 = 2

    private let proxy: Proxy
    private let host: String
    private let port: UInt16
    private var state = State.choosing
    private var buffer: [UInt8] = []

    init(_ proxy: Proxy, to host: String, port: UInt16) {
        (self.proxy, self.host, self.port) = (proxy, host, port)
    }

    mutating func start() -> [UInt8] {
        let methods = proxy.username == nil ? [Self.withoutCredentials] : [Self.withoutCredentials, Self.withPassword]
        return [Self.version, UInt8(methods.count)] + methods
    }

    mutating func received(_ bytes: [UInt8]) throws(TransportError) -> ProxyStep {
        buffer += bytes
        switch state {
        case .choosing:
            guard let answer = try take(2) else { return .wait }
            guard answer[0] == Self.version else { throw proxy.failure("is not one for SOCKS 5") }
            switch answer[1] {
            case Self.withoutCredentials: return try request()
            case Self.withPassword where proxy.username != nil:
                state = .authenticating
                let (name, password) = (Array((proxy.username ?? "").utf8), Array((proxy.password ?? "").utf8))
                return .write([1, UInt8(name.count)] + name + [UInt8(password.count)] + password)
            default: throw proxy.refusal
            }
        case .authenticating:
            guard let answer = try take(2) else { return .wait }
            guard answer[1] == 0 else { throw proxy.refusal }
            return try request()
        case .connecting:
            guard buffer.count >= 5 else { return .wait }
            guard buffer[0] == Self.version else { throw proxy.failure("is not one for SOCKS 5") }
            guard buffer[1] == 0 else { throw proxy.failure(Self.reason(buffer[1])) }
            let length: Int
            switch buffer[3] {
            case 1: length = 4
            case 3: length = 1 + Int(buffer[4])
            case 4: length = 16
            default: throw proxy.failure("answered with an unknown kind of address")
            }
            guard buffer.count >= 4 + length + 2 else { return .wait }
            guard buffer.count == 4 + length + 2 else { throw proxy.failure("sent more than its answer") }
            return .connected
        }
    }

    /// The answer to one message; nothing may follow it, because the proxy waits for the next one.
    private mutating func take(_ count: Int) throws(TransportError) -> [UInt8]? {
        guard buffer.count >= count else { return nil }
        guard buffer.count == count else { throw proxy.failure("sent more than its answer") }
        defer { buffer = [] }
        return buffer
    }

    private mutating func request() throws(TransportError) -> ProxyStep {
        state = .connecting
        let address: [UInt8]
        if let literal = SocketAddress(host, port: port), let bytes = literal.addressBytes {
            address = [literal.isIPv6 ? 4 : 1] + bytes
        } else {
            let name = Array(host.utf8)
            guard name.count <= Self.maximumName else {
                throw TransportError(.invalidConfiguration, "The host name is too long for a SOCKS proxy.")
            }
            address = [3, UInt8(name.count)] + name
        }
        return .write([Self.version, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)])
    }

    /// RFC 1928 §6.
    private static func reason(_ code: UInt8) -> String {
        switch code {
        case 2: "does not allow this connection"
        case 3: "cannot reach the network of the server"
        case 4: "cannot reach the server"
        case 5: "was refused by the server"
        case 6: "got no answer of the server in time"
        case 7, 8: "does not support what was asked of it"
        default: "failed (code \(code))"
        }
    }
}

/// The method CONNECT of HTTP (RFC 9110 §9.3.6).
///
///     C: CONNECT xmpp.example:5222 HTTP/1.1
///     S: HTTP/1.1 200 Connection established
struct HTTPConnectHandshake: ProxyHandshake {
    /// The longest header of an answer in bytes; real ones have some hundred. The page that some proxies add to a
    /// refusal is not read.
    static let headerLimit = 16 << 10

    private let proxy: Proxy
    private let authority: String
    private var buffer: [UInt8] = []

    init(_ proxy: Proxy, to host: String, port: UInt16) {
        self.proxy = proxy
        authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    mutating func start() -> [UInt8] {
        var lines = ["CONNECT \(authority) HTTP/1.1", "Host: \(authority)"]
        if let username = proxy.username {
            // RFC 7617 §2.
            let credentials = Base64.encode(Array("\(username):\(proxy.password ?? "")".utf8))
            lines.append("Proxy-Authorization: Basic \(credentials)")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    mutating func received(_ bytes: [UInt8]) throws(TransportError) -> ProxyStep {
        buffer += bytes
        guard let end = HTTPResponseHead.end(in: buffer), end <= Self.headerLimit else {
            guard buffer.count <= Self.headerLimit else { throw proxy.failure("answered with too long a header") }
            return .wait
        }
        let head: HTTPResponseHead
        do throws(HTTPResponseHead.Malformed) {
            head = try HTTPResponseHead(buffer[..<(end - 4)], versions: ["HTTP/1.1", "HTTP/1.0"])
        } catch {
            throw proxy.failure("does not answer like one for HTTP")
        }
        switch head.status {
        case 200...299:
            // A success has no content, and the server has nothing to say before the client.
            guard end == buffer.count else { throw proxy.failure("sent more than its answer") }
            return .connected
        case 401, 407: throw proxy.refusal
        case 403, 405: throw proxy.failure("does not allow this connection (status \(head.status))")
        case 502...504: throw proxy.failure("cannot reach the server (status \(head.status))")
        default: throw proxy.failure("refused the connection (status \(head.status))")
        }
    }
}

extension Proxy {
    func failure(_ what: String) -> TransportError {
        TransportError(.proxyFailed, "The proxy at \(authority) \(what).")
    }

    /// The proxy does not accept this user.
    var refusal: TransportError {
        TransportError(
            .invalidConfiguration,
            username == nil
                ? "The proxy at \(authority) wants a name and a password."
                : "The proxy at \(authority) did not accept the name and the password.")
    }

    func handshake(to host: String, port: UInt16) -> any ProxyHandshake {
        switch kind {
        case .socks5: SOCKSHandshake(self, to: host, port: port)
        case .http: HTTPConnectHandshake(self, to: host, port: port)
        }
    }

    /// Asks the proxy at the other end of a connection to connect it to a host. On a failure the connection is aborted.
    func connect(
        _ transport: some Transport, to host: String, port: UInt16, within timeout: Duration
    ) async throws(TransportError) {
        let handshake = handshake(to: host, port: port)
        let result = await withTaskGroup(of: Result<Void, TransportError>.self) { group in
            group.addTask {
                do throws(TransportError) {
                    try await exchange(handshake, over: transport)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .failure(
                    Task.isCancelled
                        ? .cancelledByTask : TransportError(.timedOut, "The proxy at \(authority) does not answer."))
            }
            let first = await group.next() ?? .failure(.cancelledByTask)
            if case .failure = first { transport.abort() }
            group.cancelAll()
            return first
        }
        try result.get()
    }

    private func exchange(_ handshake: any ProxyHandshake, over transport: some Transport) async throws(TransportError)
    {
        var handshake = handshake
        try await transport.write(handshake.start())
        while true {
            let bytes = try await transport.read()
            guard !bytes.isEmpty else { throw failure("closed the connection") }
            switch try handshake.received(bytes) {
            case .write(let bytes): try await transport.write(bytes)
            case .wait: continue
            case .connected: return
            }
        }
    }
}
