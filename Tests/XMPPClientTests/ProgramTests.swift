import Foundation
import HongyanTesting
import Synchronization
import Testing
import Waiting
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

@Suite("Programs", .timeLimit(.minutes(20)))
struct ProgramTests {
    @Test("a failed request names its kind, its name and its receiver; the message does not")
    func failedRequest() async throws {
        let server = MemoryServer()
        await server.answer { request in
            guard request["to"] == "bob@xmpp.test/x", let id = request["id"] else { return nil }
            return [
                "<iq type='error' id='\(id)' from='bob@xmpp.test/x'><error type='cancel'><item-not-found "
                    + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
            ]
        }
        try await Client(try server.account("alice")).run { session in
            let bob = try JID("bob@xmpp.test/x")
            let error = await clientError { _ = try await session.request(Question("x"), to: bob) }
            #expect(error?.code == .refused)
            #expect(error?.request?.receiver == bob && error?.request?.name == Question.name)
            #expect(error?.description.hasSuffix(" (get {urn:example:question}question to bob@xmpp.test/x)") == true)
            #expect(error?.message.contains("bob") == false)
            // Equality does not depend on it.
            #expect(error == ClientError(.refused, error?.message ?? ""))
        }
    }

    @Test("the program of a client runs with run(), and its session can be reached meanwhile")
    func program() async throws {
        let server = MemoryServer()
        let client = Client(try server.account("alice")) { session in
            try await session.send(.chat(to: try JID("bob@xmpp.test"), body: "here"))
            _ = try await session.request(Ping())
        }
        #expect(client.session == nil)
        try await client.run()
        #expect(try Message(from: await server.next("message")).body == "here")
        #expect(client.session == nil)

        let idle = Client(try server.account("bob"))
        let task = Task { try await idle.run() }
        await server.wait { $0.isOnline("bob") }
        #expect(idle.session != nil)
        task.cancel()
        let result = await task.result
        // Whether the client waited for the connection or for the end, the program has not failed.
        let error = try #require(result.failure)
        #expect(ProgramEnd.status(of: error) == nil)
    }

    @Test("a cancelled task hears that it was cancelled, also when the session has ended because of that")
    func cancelledLate() async throws {
        let server = MemoryServer()
        let session = try await Client(try server.account("alice")).run { $0 }
        await session.untilEnd()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await session.waitUntilOnline()
        }
        task.cancel()
        let error = try #require(await task.result.failure)
        #expect(ProgramEnd.status(of: error) == nil)
    }

    @Test("a message waits for the connection if it may, and is refused otherwise")
    func whenOffline() async throws {
        let server = MemoryServer()
        let bob = try JID("bob@xmpp.test")
        let configuration = try server.account("alice") {
            $0.usesStreamManagement = false
            $0.reconnection.attempts = nil
        }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            await server.kill()
            _ = await events.first { if case .stateChanged(.offline) = $0 { true } else { nil } }
            #expect(await clientError { try await session.send(.chat(to: bob, body: "a")) }?.code == .notConnected)
            #expect(
                await clientError { try await session.send(.chat(to: bob, body: "a"), whenOffline: .refuse) }?.code
                    == .notConnected)
            async let sent = session.send(.chat(to: bob, body: "b"), whenOffline: .wait)
            await server.restart()
            _ = try await sent
            try await session.waitForConnection()
            #expect(try Message(from: await server.next("message")).body == "b")
            await session.close()
            #expect(
                await clientError { try await session.send(.chat(to: bob, body: "c"), whenOffline: .wait) }?.code
                    == .sessionEnded)
        }
    }

    @Test("a cancelled task stops waiting for a connection")
    func cancelledWait() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice") { $0.reconnection.attempts = nil }).run { session in
            let events = session.events(.connection)
            await server.kill()
            _ = await events.first { if case .stateChanged(.offline) = $0 { true } else { nil } }
            let task = Task { try await session.waitForConnection() }
            task.cancel()
            let result = await task.result
            #expect((result.failure as? ClientError)?.code == .cancelled)
        }
    }

    @Test("an observation that nothing reads is named after ten seconds, in the log too, until it is released")
    func pausedReading() async throws {
        let server = MemoryServer()
        let clock = VirtualClock()
        let lines = Mutex<[String]>([])
        let configuration = try server.account("alice") {
            clock.drive(&$0)
            $0.eventLimit = 8
            $0.add { SessionLog($0, .failures) { _, line in lines.withLock { $0.append(line) } } }
        }
        try await Client(configuration).run { session in
            let connection = session.events(.connection, limit: 1000)
            var held: SessionEvents? = session.events(.messages)
            #expect(session.observersBehind.isEmpty)
            for number in 0..<20 {
                try await server.send("<message from='bob@xmpp.test'><body>\(number)</body></message>", to: "alice")
            }
            while session.observersBehind.isEmpty { await Task.yield() }
            #expect(session.observersBehind.first?.contains("ProgramTests.swift:") == true)
            // One more read, which waits.
            let paused = try await clock.run {
                await connection.first { if case .connection(.readingPaused(let by)) = $0 { by } else { nil } }
            }
            #expect(paused == session.observersBehind)
            #expect(lines.withLock { $0.last }?.contains("ProgramTests.swift:") == true)
            withExtendedLifetime(held) {}
            held = nil
            _ = await connection.first { if case .connection(.readingResumed) = $0 { true } else { nil } }
            #expect(session.observersBehind.isEmpty)
            _ = try await session.request(Ping())
        }
    }

    // MARK: The environment

    private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "setting-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try text.write(to: file, atomically: true, encoding: .utf8)
        return try body(file.path(percentEncoded: false))
    }

    @Test("the settings of a program come from its environment")
    func environment() throws {
        try withFile("pa ss\nmore") { file in
            let configuration = try ClientConfiguration.environment([
                "XMPP_JID": "bot@xmpp.test", "XMPP_PASSWORD_FILE": file, "XMPP_HOST": "h", "XMPP_PORT": "5",
                "XMPP_CA": "/ca.pem", "XMPP_PROXY": "socks5h://127.0.0.1:9050", "XMPP_LOG": "wire",
            ])
            #expect(configuration.credentials.password == "pa ss")
            #expect(configuration.host == "h" && configuration.port == 5)
            #expect(configuration.proxy == Proxy(.socks5, host: "127.0.0.1", port: 9050, avoidsDNS: true))
            #expect(configuration.extensions.count == 1)
            let component = try ComponentConfiguration.environment([
                "XMPP_COMPONENT": "bots.xmpp.test", "XMPP_SECRET_FILE": file, "XMPP_COMPONENT_PORT": "6",
            ])
            #expect(component.domain.description == "bots.xmpp.test" && component.port == 6)
            try component.validate()
            let certificate = try ClientConfiguration.environment([
                "XMPP_JID": "bot@xmpp.test", "XMPP_CERTIFICATE": "/c.pem", "XMPP_PASSWORD_FILE": file,
            ])
            #expect(certificate.clientIdentity?.passphrase == "pa ss")
            #expect(certificate.clientIdentity?.privateKeyFile == "/c.pem")
        }
    }

    @Test(
        "a setting that is missing or wrong is named",
        arguments: [
            ([:], "XMPP_JID"), (["XMPP_JID": "@"], "XMPP_JID"), (["XMPP_JID": "a@b"], "XMPP_PASSWORD_FILE"),
            (["XMPP_JID": "a@b", "XMPP_PASSWORD_FILE": "/nonexistent"], "XMPP_PASSWORD_FILE"),
            (["XMPP_JID": "a@b", "XMPP_CERTIFICATE": "c", "XMPP_PORT": "x"], "XMPP_PORT"),
            (["XMPP_JID": "a@b", "XMPP_CERTIFICATE": "c", "XMPP_PROXY": "ftp://x"], "XMPP_PROXY"),
            (["XMPP_JID": "a@b", "XMPP_CERTIFICATE": "c", "XMPP_LOG": "loud"], "XMPP_LOG"),
        ] as [([String: String], String)])
    func wrongEnvironment(variables: [String: String], name: String) {
        let error = #expect(throws: SettingError.self) { try ClientConfiguration.environment(variables) }
        #expect(error?.description.hasPrefix(name) == true)
    }

    @Test("the exit status of a program says what kind of failure ended it")
    func status() {
        #expect(ProgramEnd.status(of: CancellationError()) == nil)
        #expect(ProgramEnd.status(of: ClientError.cancelled) == nil)
        #expect(ProgramEnd.status(of: ClientError(.authenticationFailed, "")) == 3)
        #expect(ProgramEnd.status(of: ClientError.notConnected) == 4)
        #expect(ProgramEnd.status(of: SettingError(description: "")) == 2)
        #expect(ProgramEnd.status(of: CocoaError(.fileNoSuchFile)) == 1)
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
