import Foundation
import ServerFixtures
import Testing

@testable import TransportLayer

/// RFC 1928, RFC 1929, RFC 9110 §9.3.6.
@Suite("Proxies", .timeLimit(.minutes(20)))
struct ProxyTests {
    @Test(
        "URLs of proxies",
        arguments: [
            ("socks5://proxy.test:1081", Proxy(.socks5, host: "proxy.test", port: 1081)),
            ("socks5h://[::1]", Proxy(.socks5, host: "::1", port: 1080, avoidsDNS: true)),
            (
                "http://user:p%40ss@127.0.0.1/",
                Proxy(.http, host: "127.0.0.1", port: 3128, username: "user", password: "p@ss")
            ),
        ])
    func urls(text: String, proxy: Proxy) throws {
        #expect(try Proxy(text) == proxy)
        #expect(!proxy.description.contains("p@ss") && !proxy.description.contains("user"))
    }

    @Test(
        "what is not the URL of a proxy is refused",
        arguments: [
            "", "proxy.test", "https://proxy.test", "socks4://proxy.test", "socks5://", "http://proxy.test:0",
            "http://proxy.test:99999", "socks5://proxy.test/path", "http://proxy.test/?q",
            "socks5://" + String(repeating: "x", count: 256) + "@proxy.test",
        ])
    func invalidURLs(text: String) {
        let error = #expect(throws: TransportError.self) { try Proxy(text) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("a password in a URL for an option is refused, and one in a file is used")
    func passwordFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "proxy-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try "s3cret\nrest".write(to: file, atomically: true, encoding: .utf8)
        let path = file.path(percentEncoded: false)
        #expect(try Proxy("socks5://user@p.test", passwordFile: path).password == "s3cret")
        #expect(throws: TransportError.self) { try Proxy("socks5://user:x@p.test", passwordFile: nil) }
        #expect(throws: TransportError.self) { try Proxy("socks5://user@p.test", passwordFile: "/nonexistent") }
    }

    // MARK: Handshakes without I/O

    /// Feeds the answers of a proxy in pieces; returns what the client wrote, and whether it is connected.
    private func run(
        _ handshake: any ProxyHandshake, _ answers: [UInt8], by size: Int
    ) throws(TransportError) -> (written: [UInt8], isConnected: Bool) {
        var handshake = handshake
        var written = handshake.start()
        var rest = answers[...]
        while !rest.isEmpty {
            switch try handshake.received(Array(rest.prefix(size))) {
            case .write(let bytes): written += bytes
            case .wait: break
            case .connected: return (written, rest.count <= size)
            }
            rest = rest.dropFirst(size)
        }
        return (written, false)
    }

    @Test("SOCKS: names, IPv4 and IPv6, a byte at a time")
    func socks() throws {
        let proxy = Proxy(.socks5, host: "p", port: 1)
        let answer: [UInt8] = [5, 0, 5, 0, 0, 1, 127, 0, 0, 1, 0, 80]
        let name = try run(SOCKSHandshake(proxy, to: "a.test", port: 5222), answer, by: 1)
        #expect(name.isConnected)
        #expect(name.written == [5, 1, 0, 5, 1, 0, 3, 6] + Array("a.test".utf8) + [0x14, 0x66])
        let four = try run(SOCKSHandshake(proxy, to: "192.0.2.1", port: 1), answer, by: 2)
        #expect(four.written.suffix(7) == [1, 192, 0, 2, 1, 0, 1])
        let six = try run(
            SOCKSHandshake(proxy, to: "2001:db8::1", port: 1), [5, 0, 5, 0, 0, 3, 1, 65, 0, 1], by: 1)
        #expect(six.isConnected)
        #expect(six.written.suffix(19).first == 4)
        let named = Proxy(.socks5, host: "p", port: 1, username: "u", password: "pw")
        let offered = try run(SOCKSHandshake(named, to: "a", port: 1), [5, 2, 1, 0] + answer.dropFirst(2), by: 1)
        #expect(offered.written.prefix(11) == [5, 2, 0, 2, 1, 1, 117, 2, 112, 119, 5])
        #expect(offered.isConnected)
    }

    @Test(
        "SOCKS: a refusal names its reason, and nothing else is taken for a connection",
        arguments: [
            ([4, 0], TransportError.Code.proxyFailed), ([5, 0xFF], .invalidConfiguration),
            ([5, 2], .invalidConfiguration),
            ([5, 0, 5], .proxyFailed), ([5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0], .proxyFailed),
            ([5, 0, 5, 0, 0, 9, 0, 0, 0, 0, 0, 0], .proxyFailed),
            ([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 60], .proxyFailed),
        ] as [([UInt8], TransportError.Code)])
    func refusedSOCKS(bytes: [UInt8], code: TransportError.Code) {
        let handshake = SOCKSHandshake(Proxy(.socks5, host: "p", port: 1), to: "a.test", port: 5222)
        // The answer to the first message comes alone; the rest at once.
        let error = #expect(throws: TransportError.self) {
            var handshake = handshake
            _ = try handshake.received(Array(bytes.prefix(2)))
            _ = try handshake.received(Array(bytes.dropFirst(2)))
            if bytes.count < 5 { throw TransportError(.proxyFailed, "unfinished") }
        }
        #expect(error?.code == code)
    }

    @Test("HTTP: CONNECT with and without credentials, a byte at a time")
    func http() throws {
        let answer = Array("HTTP/1.0 200 OK\r\nVia: x\r\n\r\n".utf8)
        let plain = try run(
            HTTPConnectHandshake(Proxy(.http, host: "p", port: 1), to: "::1", port: 5222), answer, by: 1)
        #expect(plain.isConnected)
        #expect(
            String(decoding: plain.written, as: UTF8.self)
                == "CONNECT [::1]:5222 HTTP/1.1\r\nHost: [::1]:5222\r\n\r\n")
        let named = Proxy(.http, host: "p", port: 1, username: "Aladdin", password: "open sesame")
        let written = try run(HTTPConnectHandshake(named, to: "a.test", port: 1), answer, by: .max).written
        #expect(
            String(decoding: written, as: UTF8.self).contains(
                "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"))
    }

    @Test(
        "HTTP: refusals, and answers that are none",
        arguments: [
            ("HTTP/1.1 407 x\r\n\r\n", TransportError.Code.invalidConfiguration),
            ("HTTP/1.1 403 x\r\n\r\n", .proxyFailed),
            ("HTTP/1.1 502 x\r\n\r\n", .proxyFailed), ("SSH-2.0-x\r\n\r\n", .proxyFailed),
            ("HTTP/1.1 200 OK\r\n\r\n<stream", .proxyFailed), ("HTTP/1.1 200 OK\r\n: x\r\n\r\n", .proxyFailed),
            (String(repeating: "x", count: 20_000), .proxyFailed),
        ])
    func refusedHTTP(answer: String, code: TransportError.Code) {
        let handshake = HTTPConnectHandshake(Proxy(.http, host: "p", port: 1), to: "a.test", port: 1)
        let error = #expect(throws: TransportError.self) { try run(handshake, Array(answer.utf8), by: .max) }
        #expect(error?.code == code)
    }

    // MARK: With a proxy

    @Test(
        "a proxy that answers nothing is given up in time, and so is one that is not there",
        arguments: Proxy.Kind.allCases)
    func silent(kind: Proxy.Kind) async throws {
        let dead = try DeadPort()
        let mute = try FaultProxy(to: dead.address.port)
        mute.configure { $0.acceptance = .hang }
        for (port, code) in [
            (dead.address.port, TransportError.Code.connectionRefused), (mute.port, .timedOut),
        ] {
            var configuration = Connector.Configuration()
            configuration.candidateTimeout = .milliseconds(300)
            configuration.proxy = Proxy(kind, host: "127.0.0.1", port: port)
            let error = await #expect(throws: TransportError.self) {
                _ = try await Connector(configuration: configuration).connect(
                    to: .host("a.test", port: 5222), tls: TLSConfiguration(serverName: "a.test"))
            }
            #expect(error?.code == code)
            #expect(error?.attempts.first?.target == "a.test:5222")
        }
    }

    @Test("downloads and uploads go through the proxy, which looks up the host", arguments: Proxy.Kind.allCases)
    func transfers(kind: Proxy.Kind) async throws {
        let server = try await HTTPServer()
        let proxy = try PrivateProxy(credentials: "goose:honk")
        var configuration = HTTPClient.Configuration(
            trust: .certificateAuthority(try await Certificates.shared.authorityFile))
        configuration.proxy = Proxy(kind, host: "127.0.0.1", port: proxy.port, username: "goose", password: "honk")
        let client = HTTPClient(configuration: configuration)
        let response = try await client.download(server.url("/bytes/1000"), limit: 10_000)
        #expect(response.body.count == 1000)
        #expect(response["via"] == nil)
        _ = try await client.upload(Array("honk".utf8), to: server.url("/put"))
        #expect(proxy.targets == Array(repeating: "\(kind.rawValue) localhost:\(server.port)", count: 2))
        configuration.proxy?.password = "hiss"
        let refused = HTTPClient(configuration: configuration)
        await #expect(throws: TransportError.self) { _ = try await refused.download(server.url("/bytes/1"), limit: 10) }
        #expect(proxy.targets.count == 2)
        server.stop()
    }
}
