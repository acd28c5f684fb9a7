import Testing
import TransportLayer

@testable import DirectTransfer

@Suite("The handshake of a candidate (RFC 1928, XEP-0065)")
struct SOCKS5HandshakeTests {
    private static let name = "972b7bf47291ca609517f67f86b5081086052dad"

    /// Passes bytes between both ends, whole or one at a time, and returns what is left for the file.
    private func run(byteWise: Bool, trailing: [UInt8] = []) throws -> (client: [UInt8], server: [UInt8]) {
        var client = SOCKS5Handshake(connectingTo: Self.name)
        var server = SOCKS5Handshake(expecting: Self.name)
        var toServer = SOCKS5Handshake.greeting
        var toClient: [UInt8] = []
        var rests: (client: [UInt8]?, server: [UInt8]?) = (nil, nil)
        for _ in 0..<400 where rests.client == nil || rests.server == nil {
            if !toServer.isEmpty {
                let count = byteWise ? 1 : toServer.count
                let part = Array(toServer.prefix(count))
                toServer.removeFirst(count)
                switch try server.received(part) {
                case .needsMore: break
                case .write(let bytes): toClient += bytes
                case .finished(let bytes, let rest):
                    toClient += bytes + trailing
                    rests.server = rest
                }
            }
            if !toClient.isEmpty {
                let count = byteWise ? 1 : toClient.count
                let part = Array(toClient.prefix(count))
                toClient.removeFirst(count)
                switch try client.received(part) {
                case .needsMore: break
                case .write(let bytes): toServer += bytes
                case .finished(_, let rest): rests.client = rest
                }
            }
        }
        return (try #require(rests.client), try #require(rests.server))
    }

    @Test("both ends, whole and one byte at a time", arguments: [false, true])
    func both(byteWise: Bool) throws {
        let rests = try run(byteWise: byteWise)
        #expect(rests.client.isEmpty && rests.server.isEmpty)
    }

    @Test("what follows belongs to the file")
    func rest() throws { #expect(try run(byteWise: false, trailing: [1, 2, 3]).client == [1, 2, 3]) }

    @Test(
        "a server with an address of another kind in its reply",
        arguments: [[1] + [UInt8](repeating: 0, count: 6), [4] + [UInt8](repeating: 0, count: 18)])
    func otherAddress(address: [UInt8]) throws {
        var client = SOCKS5Handshake(connectingTo: Self.name)
        _ = try client.received([5, 0])
        #expect(try client.received([5, 0, 0] + address) == .finished(write: [], rest: []))
    }

    @Test(
        "what is no such handshake",
        arguments: [
            [4, 0], [5, 2], [5, 0xFF], Array("HTTP/1.1 400".utf8), [5, 0, 5, 5, 0, 3, 0, 0, 0],
            [5, 0, 5, 0, 1, 3, 0, 0, 0],
            [5, 0, 5, 0, 0, 9, 0, 0, 0],
        ] as [[UInt8]])
    func badServer(bytes: [UInt8]) {
        #expect(throws: SOCKS5Handshake.Failure.self) {
            var client = SOCKS5Handshake(connectingTo: Self.name)
            _ = try client.received(Array(bytes.prefix(2)))
            _ = try client.received(Array(bytes.dropFirst(2)))
        }
    }

    @Test("a client that wants another bytestream, or none", arguments: [0, 1, 2, 3])
    func badClient(kind: Int) {
        let other = Self.name.replacing("9", with: "8")
        #expect(throws: SOCKS5Handshake.Failure.self) {
            var server = SOCKS5Handshake(expecting: Self.name)
            switch kind {
            case 0: _ = try server.received([5, 1, 2])
            case 1: _ = try server.received(Array("GET / HTTP/1.1\r\n".utf8))
            case 2:
                _ = try server.received([5, 1, 0])
                _ = try server.received([5, 1, 0, 3, 40] + Array(other.utf8) + [0, 0])
            default:
                _ = try server.received([5, 1, 0])
                _ = try server.received([5, 1, 0, 1, 127, 0, 0, 1, 0, 22])
            }
        }
    }

    @Test(
        "addresses that only this machine has are not connected to",
        arguments: [
            ("127.0.0.1", false), ("127.9.9.9", false), ("0.0.0.0", false), ("169.254.1.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false), ("::1", false), ("::", false), ("fe80::1", false), ("ff02::1", false),
            ("::ffff:127.0.0.1", false), ("192.168.1.7", true), ("10.0.0.1", true), ("192.0.2.1", true),
            ("2001:db8::1", true),
        ])
    func reachable(literal: String, isReachable: Bool) throws {
        let address = try #require(SocketAddress(literal, port: 1080))
        #expect(address.isReachableByOthers == isReachable)
    }
}
