import HongyanTesting
import ServerFixtures
import Testing

@testable import TransportLayer

/// Connections over the loopback interface, for tests.
enum Loopback {
    static func address(_ text: String = "127.0.0.1", port: UInt16 = 0) throws -> SocketAddress {
        try #require(SocketAddress(text, port: port))
    }

    /// Two connected sockets: the client's and the server's.
    static func pair(
        limits: TransportLimits = TransportLimits(), at text: String = "127.0.0.1"
    ) async throws -> (client: SocketTransport, server: SocketTransport) {
        let listener = try await TCPListener.listen(at: address(text), limits: limits)
        async let accepted = listener.accept()
        let client = try await SocketTransport.connect(to: listener.address, limits: limits)
        let server = try await accepted
        await listener.close()
        return (client, server)
    }

    static func server(_ kind: Certificates.Kind = .server) async throws -> TLSServerConfiguration {
        let certificates = try await Certificates.shared
        return TLSServerConfiguration(
            certificateChainFile: certificates.certificateFile(kind), privateKeyFile: certificates.keyFile(kind))
    }

    static func client(_ name: String = "xmpp.test") async throws -> TLSConfiguration {
        TLSConfiguration(serverName: name, trust: .certificateAuthority(try await Certificates.shared.authorityFile))
    }

    /// Two ends with TLS.
    static func securedPair(
        client: TLSConfiguration? = nil, server: TLSServerConfiguration? = nil,
        limits: TransportLimits = TransportLimits()
    ) async throws -> (client: SocketTransport, server: SocketTransport) {
        let ends = try await pair(limits: limits)
        let configuration = if let server { server } else { try await Self.server() }
        async let accepted = ends.server.acceptTLS(configuration)
        let own = if let client { client } else { try await Self.client() }
        _ = try await ends.client.startTLS(own)
        _ = try await accepted
        return ends
    }

    /// The failure of a handshake, as the client sees it.
    static func refusal(
        client: TLSConfiguration, server: TLSServerConfiguration
    ) async throws -> TransportError? {
        let ends = try await pair()
        async let accepted = Result { () async throws(TransportError) in
            do throws(TransportError) { return try await ends.server.acceptTLS(server) } catch {
                // A server that cannot start must not leave the client waiting.
                ends.server.abort()
                throw error
            }
        }
        do throws(TransportError) {
            _ = try await ends.client.startTLS(client)
            _ = await accepted
            return nil
        } catch {
            _ = await accepted
            return error
        }
    }
}

extension Result where Failure == TransportError {
    init(_ body: () async throws(TransportError) -> Success) async {
        do throws(TransportError) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension Transport {
    /// Reads until `count` bytes have arrived or the peer has closed.
    func read(count: Int) async throws(TransportError) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let bytes = try await read()
            if bytes.isEmpty { break }
            all += bytes
        }
        return all
    }

    /// Reads until the peer closes.
    func readToEnd() async throws(TransportError) -> [UInt8] {
        try await read(count: .max)
    }

    /// The code of the error that the next read throws; `nil` if it does not throw.
    func readErrorCode() async -> TransportError.Code? {
        do throws(TransportError) {
            _ = try await readToEnd()
            return nil
        } catch { return error.code }
    }
}

/// Bytes with a prime period, which is no buffer size.
func pattern(_ count: Int, seed: UInt32 = 1) -> [UInt8] {
    var state = seed
    let block = (0..<min(count, 65_521)).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    bytes.removeLast(bytes.count - count)
    return bytes
}
