import Foundation
import Glibc
import JSONRPC
import ServerFixtures
import Synchronization
import Testing

@testable import UserProfile

@Suite("The socket of a profile")
struct ProfileSocketTests {
    private struct Words: Codable, Sendable, Equatable { var text: String }

    private static let echo = ProfileMethod("echo") { (words: Words, request) async throws(JSONRPCError) -> Words in
        request.notify("heard", words)
        return words
    }

    /// A folder that is removed together with this object.
    private final class Folder: Sendable {
        let path: String
        var profile: Profile { Profile(folder: path) }

        init(_ name: String = "") throws {
            path = NSTemporaryDirectory() + "/hongyan-socket-\(UUID().uuidString)" + name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// A client that can send anything.
    private final class RawClient: Sendable {
        let descriptor: Int32

        init(_ profile: Profile) throws { descriptor = try #require(SocketLocation(profile).connect()) }

        deinit { close(descriptor) }

        func send(_ text: String) {
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        /// Nothing more is sent.
        func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

        /// Everything received until the other side closes.
        func rest() async -> String {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [descriptor] in
                    var all: [UInt8] = []
                    var piece = [UInt8](repeating: 0, count: 1 << 16)
                    while true {
                        let count = recv(descriptor, &piece, piece.count, 0)
                        guard count > 0 else { break }
                        all += piece.prefix(count)
                    }
                    continuation.resume(returning: String(decoding: all, as: UTF8.self))
                }
            }
        }
    }

    private func echoed(_ text: String, _ profile: Profile) async throws -> String {
        let client = try #require(ProfileClient.connect(to: profile))
        defer { client.close() }
        let answer: Words = try await client.call("echo", Words(text: text)) { (_: Words) in }
        return answer.text
    }

    @Test("a request is answered after its notices")
    func answer() async throws {
        let folder = try Folder()
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo]))
        defer { socket.close() }
        let client = try #require(ProfileClient.connect(to: folder.profile))
        let heard = Mutex<[Words]>([])
        for text in ["good morrow", "早上好\n🎉 \" \\"] {
            let answer: Words = try await client.call("echo", Words(text: text)) { words in
                heard.withLock { $0.append(words) }
            }
            #expect(answer.text == text)
            #expect(heard.withLock { $0.last?.text } == text)
        }
        await #expect(throws: JSONRPCError.unknownMethod) {
            let _: Words = try await client.call("dance", Words(text: "")) { (_: Words) in }
        }
        await #expect(throws: JSONRPCError.invalidParameters()) {
            let _: Words = try await client.call("echo", ["text": 5]) { (_: Words) in }
        }
        #expect(try await echoed("still here", folder.profile) == "still here")
    }

    @Test("only the owner of the profile can connect, and the socket of a killed program is replaced")
    func place() async throws {
        let folder = try Folder()
        chmod(folder.path, 0o755)
        let place = SocketLocation(folder.profile)
        // A killed program leaves its socket.
        let left = try #require(place.listen(waiting: 1))
        close(left)
        #expect(access(place.path, F_OK) == 0)
        #expect(ProfileClient.connect(to: folder.profile) == nil)
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo]))
        var status = stat()
        #expect(stat(place.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(place.folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(try await echoed("here", folder.profile) == "here")
        socket.close()
        #expect(access(place.path, F_OK) != 0)
        #expect(ProfileClient.connect(to: folder.profile) == nil)
    }

    @Test("the path of the folder may be too long for the address of a socket")
    func longPath() async throws {
        let folder = try Folder("/" + String(repeating: "长", count: 60))
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo]))
        defer { socket.close() }
        #expect(try await echoed("far away", folder.profile) == "far away")
    }

    @Test("another user is refused", .enabled(if: geteuid() == 0))
    func otherUser() async throws {
        let folder = try Folder()
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo]))
        defer { socket.close() }
        let place = SocketLocation(folder.profile)
        // Even if the permissions of the files would allow it.
        chmod(folder.path, 0o755)
        chmod(place.folder, 0o755)
        chmod(place.path, 0o666)
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            # Refused before it asks; what it would write then resets the connection.
            print(s.makefile().read())
            """
        let result = try await OutsideProgram.run([
            "env", "PATH=/usr/bin:/bin", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c",
            script, place.path,
        ])
        #expect(result.output.contains("Another user") && !result.output.contains("result"), "\(result.output)")
    }

    @Test(
        "an invalid line gets an error, and the next one is answered",
        arguments: [
            ("hello\n", "Parse error"), ("[]\n", "Invalid request"), ("{\"id\":1}\n", "Invalid request"),
            ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"echo\"}\n", "Invalid request"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1}\n", "Invalid request"),
            (String(repeating: "[", count: 100_000) + "\n", "Parse error"), ("\u{0}\n", "Parse error"),
        ])
    func malformed(_ line: String, _ answer: String) async throws {
        let folder = try Folder()
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo]))
        defer { socket.close() }
        let client = try RawClient(folder.profile)
        client.send(line + Self.request("still here"))
        client.finish()
        let all = await client.rest()
        #expect(all.contains(answer) && all.contains("\"result\":{\"text\":\"still here\"}"), "\(all)")
        #expect(try await echoed("others", folder.profile) == "others")
    }

    private static func request(_ text: String, id: Int = 7) -> String {
        "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"echo\",\"params\":{\"text\":\"\(text)\"}}\n"
    }

    @Test("a line that is too long is skipped, and the next one is answered")
    func huge() async throws {
        let folder = try Folder()
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo]))
        defer { socket.close() }
        let client = try RawClient(folder.profile)
        Thread.detachNewThread {
            client.send(String(repeating: "x", count: 4 * JSONRPCConnection.Limits.standard.lineLength) + "\n")
            client.send(Self.request("still here"))
            client.finish()
        }
        let all = await client.rest()
        #expect(all.contains("-32600") && all.contains("\"result\":{\"text\":\"still here\"}"), "\(all)")
    }

    @Test("a client that sends nothing or half a line is disconnected")
    func slow() async throws {
        let folder = try Folder()
        // The client that behaves well must not take as long on a busy machine.
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo], timeout: 3))
        defer { socket.close() }
        let (silent, half) = (try RawClient(folder.profile), try RawClient(folder.profile))
        half.send("{\"jsonrpc\":")
        #expect(await silent.rest().isEmpty)
        _ = await half.rest()
        #expect(try await echoed("others", folder.profile) == "others")
        while socket.clientCount > 0 { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test("a client that reads nothing is not heard until it reads, costs no more than a bound, and loses nothing")
    func deaf() async throws {
        let folder = try Folder()
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo]))
        defer { socket.close() }
        let deaf = try RawClient(folder.profile)
        let text = String(repeating: "x", count: 100_000)
        Thread.detachNewThread {
            for number in 1...200 { deaf.send(Self.request(text, id: number)) }
            deaf.finish()
        }
        while socket.waitingBytes <= ByteChannel.waitingLimit { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try await echoed("others", folder.profile) == "others")
        // The answers and notices of the requests that had been read.
        #expect(socket.waitingBytes < 2 * JSONRPCConnection.Limits.standard.requests * 110_000)
        let all = await deaf.rest()
        let answers = all.ranges(of: "\"result\"").count + all.ranges(of: "-32001").count
        #expect(answers == 200)
        let isLastAnswered = all.contains("\"id\":200,")
        #expect(isLastAnswered)
    }

    @Test("clients beyond the limit are informed, and served when others have disconnected")
    func crowd() async throws {
        let folder = try Folder()
        let socket = try #require(ProfileSocket(folder.profile, [Self.echo]))
        defer { socket.close() }
        var clients: [RawClient] = []
        for _ in 0..<ProfileSocket.clientLimit { clients.append(try RawClient(folder.profile)) }
        #expect(await (try RawClient(folder.profile)).rest().contains("Too many"))
        clients = []
        while socket.clientCount > 0 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try await echoed("later", folder.profile) == "later")
    }

    @Test("when the program ends, no client keeps waiting")
    func end() async throws {
        let folder = try Folder()
        let (begun, isBegun) = AsyncStream<Void>.makeStream()
        let waiting = ProfileMethod("wait") { (words: Words, _) async throws(JSONRPCError) -> Words in
            isBegun.yield()
            try? await Task.sleep(for: .seconds(3600))
            return words
        }
        let socket = try #require(ProfileSocket(folder.profile, [waiting]))
        let client = try #require(ProfileClient.connect(to: folder.profile))
        let call = Task { () -> Words in try await client.call("wait", Words(text: "")) { (_: Words) in } }
        for await _ in begun { break }
        socket.close()
        await #expect(throws: JSONRPCError.disconnected) { try await call.value }
    }
}
