import Foundation
import ServerFixtures
import Synchronization
import Testing

@testable import TransportLayer

@Suite(.timeLimit(.minutes(20)))
struct HTTPClientTests {
    private static let server = Task { try await HTTPServer() }

    private func client() async throws -> HTTPClient {
        HTTPClient(
            configuration: .init(trust: .certificateAuthority(try await Certificates.shared.authorityFile)))
    }

    private func expectedBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8($0 * 7 % 251) }
    }

    /// Expects that `body` fails with `code`.
    private func expect(
        _ code: TransportError.Code, _ location: SourceLocation = #_sourceLocation,
        _ body: () async throws -> HTTPResponse
    ) async {
        let seen = await self.code(body)
        #expect(seen == code, sourceLocation: location)
    }

    private func code(_ body: () async throws -> HTTPResponse) async -> TransportError.Code? {
        do {
            _ = try await body()
            return nil
        } catch { return (error as? TransportError)?.code }
    }

    private func temporaryFile() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("http-\(UUID().uuidString)").path
    }

    @Test("A download into memory reports its progress")
    func downloadToMemory() async throws {
        let progress = Mutex<[HTTPProgress]>([])
        let response = try await client().download(Self.server.value.url("/bytes/200000"), limit: 1_000_000) { step in
            progress.withLock { $0.append(step) }
        }
        #expect(response.status == 200)
        #expect(response.body == expectedBytes(200_000))
        #expect(response["content-length"] == "200000")
        let steps = progress.withLock { $0 }
        #expect(steps.last == HTTPProgress(completed: 200_000, total: 200_000))
        #expect(steps.map(\.completed) == steps.map(\.completed).sorted())
    }

    @Test("A downloaded file is readable by its owner only, and complete or absent")
    func downloadToFile() async throws {
        let path = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let response = try await client().download(
            Self.server.value.url("/bytes/100000"), toFile: path, limit: 1_000_000)
        #expect(response.byteCount == 100_000)
        #expect(response.body.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).elementsEqual(expectedBytes(100_000)))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let missing = temporaryFile()
        let url = try await Self.server.value.url("/nowhere")
        await expect(.httpStatus) { try await client().download(url, toFile: missing, limit: 1000) }
        #expect(!FileManager.default.fileExists(atPath: missing))
        #expect(!FileManager.default.fileExists(atPath: HTTPTransfer.partName(missing)))
    }

    @Test("An upload of bytes or of a file can be downloaded unchanged", arguments: [true, false])
    func upload(_ isFile: Bool) async throws {
        let bytes = pattern(3_000_000)
        let url = try await Self.server.value.url("/kept/\(isFile)")
        let headers = [HTTPHeader("Content-Type", "image/png")]
        let progress = Mutex<Int64>(0)
        let handler: HTTPClient.ProgressHandler = { step in progress.withLock { $0 = step.completed } }
        let response: HTTPResponse
        if isFile {
            let path = temporaryFile()
            defer { try? FileManager.default.removeItem(atPath: path) }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            response = try await client().upload(file: path, to: url, headers: headers, progress: handler)
        } else {
            response = try await client().upload(bytes, to: url, headers: headers, progress: handler)
        }
        #expect(response.status == 201)
        #expect(response["X-Type"] == "image/png")
        #expect(progress.withLock { $0 } == 3_000_000)
        #expect(try await client().download(url, limit: 4_000_000).body == bytes)
    }

    @Test("More bytes than allowed are rejected, announced or not", arguments: ["/bytes/5000", "/endless"])
    func limit(_ path: String) async throws {
        let url = try await Self.server.value.url(path)
        await expect(.tooLarge) { try await client().download(url, limit: 4999) }
    }

    @Test("A failure status is an error that contains the number", arguments: [true, false])
    func status(_ isUpload: Bool) async throws {
        let server = try await Self.server.value
        let error = await #expect(throws: TransportError.self) {
            if isUpload {
                _ = try await client().upload([1], to: server.url("/refused"))
            } else {
                _ = try await client().download(server.url("/nowhere"), limit: 100)
            }
        }
        #expect(error?.code == .httpStatus)
        #expect(error?.description.contains(isUpload ? "403" : "404") == true)
    }

    @Test("Redirects are followed, but not endlessly, not for uploads, and not to plain HTTP")
    func redirections() async throws {
        let server = try await Self.server.value
        #expect(try await client().download(server.url("/to/%2Fbytes%2F5"), limit: 100).body == expectedBytes(5))
        let loop = server.url("/loop")
        await expect(.httpFailed) { try await client().download(loop, limit: 100) }
        let moved = server.url("/moved")
        await expect(.httpFailed) { try await client().upload([1], to: moved) }
        let plain = try await HTTPServer(nil)
        defer { plain.stop() }
        var configuration = try await client().configuration
        configuration.allowsLoopbackHTTP = true
        let permissive = HTTPClient(configuration: configuration)
        let target = plain.url("/bytes/5", host: "127.0.0.1").replacingOccurrences(of: "/", with: "%2F")
        let error = await #expect(throws: TransportError.self) {
            _ = try await permissive.download(server.url("/to/\(target)"), limit: 100)
        }
        #expect(error?.description.contains("not encrypted") == true)
    }

    @Test("Our header fields are not sent to another host after a redirect")
    func privateFields() async throws {
        let server = try await Self.server.value
        let target = server.url("/echo", host: "127.0.0.1").replacingOccurrences(of: "/", with: "%2F")
        let headers = [HTTPHeader("Authorization", "secret")]
        let direct = try await client().download(server.url("/echo"), headers: headers, limit: 1000)
        #expect(String(decoding: direct.body, as: UTF8.self).contains("secret"))
        let elsewhere = try await client().download(server.url("/to/\(target)"), headers: headers, limit: 1000)
        #expect(!String(decoding: elsewhere.body, as: UTF8.self).contains("secret"))
    }

    @Test("Our header fields are not sent to another port of the same host after a redirect")
    func privateFieldsAtAnotherPort() async throws {
        let server = try await Self.server.value
        let other = try await HTTPServer()
        defer { other.stop() }
        let target = other.url("/echo").replacingOccurrences(of: "/", with: "%2F")
        let headers = [HTTPHeader("Authorization", "secret")]
        let elsewhere = try await client().download(server.url("/to/\(target)"), headers: headers, limit: 1000)
        #expect(!String(decoding: elsewhere.body, as: UTF8.self).contains("secret"))
    }

    @Test("A certificate that the user accepted counts for its port alone, also after a redirection on the same host")
    func acceptedCertificateAtAnotherPort() async throws {
        let (server, other) = (try await HTTPServer(.selfSigned), try await HTTPServer(.selfSigned))
        defer {
            server.stop()
            other.stop()
        }
        let target = other.url("/bytes/3").replacingOccurrences(of: "/", with: "%2F")
        let asked = Mutex(0)
        let accepting = HTTPClient(
            configuration: .init(
                trust: .ask { _ in
                    asked.withLock { count in
                        count += 1
                        return count == 1
                    }
                }))
        await expect(.certificateRefused) { try await accepting.download(server.url("/to/\(target)"), limit: 100) }
        #expect(asked.withLock { $0 } == 2)
    }

    @Test("Plain HTTP is rejected, and allowed for loopback only if the policy allows it")
    func plainHTTP() async throws {
        let plain = try await HTTPServer(nil)
        defer { plain.stop() }
        let client = try await client()
        let url = plain.url("/bytes/3")
        await expect(.invalidConfiguration) { try await client.download(url, limit: 100) }
        var configuration = client.configuration
        configuration.allowsLoopbackHTTP = true
        let permissive = HTTPClient(configuration: configuration)
        #expect(try await permissive.download(url, limit: 100).body == expectedBytes(3))
        for other in [
            "http://192.0.2.1/", "http://127.0.0.1.example/", "ftp://localhost/", "file:///etc/passwd", "no url",
        ] {
            await expect(.invalidConfiguration) { try await permissive.download(other, limit: 100) }
        }
    }

    @Test(
        "Certificates are verified as for XMPP, with messages for the reasons",
        arguments: [
            (Certificates.Kind.expired, "expired"), (.wrongName, "but for wrong.test"), (.selfSigned, "self-signed"),
        ])
    func certificates(_ kind: Certificates.Kind, _ words: String) async throws {
        let server = try await HTTPServer(kind)
        defer { server.stop() }
        let url = server.url("/bytes/3")
        let error = await #expect(throws: TransportError.self) { _ = try await client().download(url, limit: 100) }
        #expect(error?.code == .certificateRefused)
        #expect(error?.description.contains(words) == true)
        let fingerprint = try #require(error?.certificates.first?.sha256Fingerprint)
        let pinned = HTTPClient(configuration: .init(trust: .pinned([fingerprint])))
        #expect(try await pinned.download(url, limit: 100).body == expectedBytes(3))
        let accepting = HTTPClient(configuration: .init(trust: .ask { $0.problems.isEmpty == false }))
        #expect(try await accepting.download(url, limit: 100).body == expectedBytes(3))
        let refusing = HTTPClient(configuration: .init(trust: .ask { _ in false }))
        await expect(.certificateRefused) { try await refusing.download(url, limit: 100) }
    }

    @Test("A transfer without progress ends by itself; cancelling ends it sooner")
    func stall() async throws {
        let url = try await Self.server.value.url("/stall")
        var configuration = try await client().configuration
        configuration.stall = .milliseconds(200)
        let impatient = HTTPClient(configuration: configuration)
        await expect(.timedOut) { try await impatient.download(url, limit: 2000) }

        let client = try await client()
        let (begun, report) = AsyncStream<Void>.makeStream()
        let transfer = Task { await code { try await client.download(url, limit: 2000) { _ in report.yield() } } }
        for await _ in begun { break }
        transfer.cancel()
        #expect(await transfer.value == .cancelled)
        let early = Task { await code { try await client.download(url, limit: 2000) } }
        early.cancel()
        #expect(await early.value == .cancelled)
    }

    @Test("A slow server cannot hold a transfer open: there is a minimum rate, and a limit for the total time")
    func drip() async throws {
        let url = try await Self.server.value.url("/drip")
        var slow = try await client().configuration
        slow.minimumRate = 10_000
        slow.rateWindow = .seconds(1)
        await expect(.timedOut) { try await HTTPClient(configuration: slow).download(url, limit: 1 << 20) }
        var long = try await client().configuration
        long.total = .milliseconds(300)
        await expect(.timedOut) { try await HTTPClient(configuration: long).download(url, limit: 1 << 20) }
    }

    @Test(
        "A redirect target follows the same rules as the original address",
        arguments: [
            ("https://files.example/a", true), ("http://files.example/a", false), ("javascript:alert(1)", false),
            ("file:///etc/passwd", false), ("ftp://files.example/a", false), ("https://", false), ("", false),
            ("https://files.example/a\r\nX: y", false),
        ])
    func check(url: String, isAllowed: Bool) {
        do throws(TransportError) {
            try HTTPClient().check(url)
            #expect(isAllowed)
        } catch {
            #expect(!isAllowed && error.code == .invalidConfiguration)
        }
    }

    @Test("A line break in a header field is rejected")
    func injection() async throws {
        let url = try await Self.server.value.url("/echo")
        let headers = [HTTPHeader("X-Name", "value\r\nCookie: stolen")]
        await expect(.invalidConfiguration) { try await client().download(url, headers: headers, limit: 100) }
    }

    @Test("A port without a listener is a refused connection")
    func refused() async throws {
        let dead = try DeadPort()
        let url = "https://127.0.0.1:\(dead.address.port)/"
        await expect(.connectionRefused) { try await client().download(url, limit: 100) }
    }
}
