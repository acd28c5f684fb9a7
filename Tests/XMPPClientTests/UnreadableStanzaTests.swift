import Synchronization
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

/// An unreadable stanza of another user ends no session: it is reported, answered and counted.
@Suite("Unreadable stanzas in a session", .timeLimit(.minutes(20)))
struct UnreadableStanzaTests {
    /// 100 attributes with a prefix: they are accepted in this form, but written with 100 declarations they exceed the
    /// limit.
    static let poison = "<x xmlns='urn:x' xmlns:p='p'" + (0..<100).map { " p:a\($0)=''" }.joined() + "/>"

    private func message(_ id: String) -> String {
        "<message id='\(id)' from='bob@xmpp.test/x'><body>\(id)</body></message>"
    }

    @Test("the session continues and reports what was skipped and who sent it, in order")
    func told() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let events = session.events([.messages, .elements])
            for kind in ["message", "presence"] {
                try await server.send(
                    message("1") + "<\(kind) id='p' from='bob@xmpp.test/x'>\(Self.poison)</\(kind)>" + message("2"),
                    to: "alice")
                var seen: [String] = []
                _ = await events.first { event -> Bool? in
                    switch event {
                    case .message(let message): seen.append(message.id ?? "")
                    case .skipped(let element):
                        seen.append(
                            "\(element.name.local) \(element.id ?? "") \(element.from ?? "") \(element.reason.code)")
                    default: break
                    }
                    return seen.last == "2" ? true : nil
                }
                #expect(seen == ["1", "\(kind) p bob@xmpp.test/x tooManyAttributes", "2"])
            }
            _ = try await session.request(Ping())
        }
        #expect(await server.connections == 1)
    }

    @Test("malformed XML ends the connection, the session reconnects, and the state contains the sender")
    func sender() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let events = session.events(.connection)
            try await server.writeRaw(
                Array("<message id='7' from='mallory@evil.test/x'><body>x</wrong></message>".utf8), to: "alice")
            let reason = await events.first { event -> ClientError? in
                if case .stateChanged(.offline(let reason, .some)) = event { reason } else { nil }
            }
            #expect(reason?.code == .protocolViolated)
            #expect(reason?.streamFailure?.sender == (try JID("mallory@evil.test/x")))
            #expect(reason?.streamFailure?.brokenStanza?.id == "7")
            #expect(reason?.message.contains("mallory") == false)
            _ = await events.first { if case .stateChanged(.online) = $0 { true } else { nil } }
        }
    }

    @Test("a request gets bad-request, in the order of requests; a request without an id, and a response, get nothing")
    func answered() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            func iq(_ id: String, _ type: String, _ payload: String) -> String {
                "<iq from='bob@xmpp.test/x' \(id.isEmpty ? "" : "id='\(id)'") type='\(type)'>\(payload)</iq>"
            }
            let ask = "<ask xmlns='urn:x'/>"
            // A peer to which the session has written is no stranger.
            try await session.send(.chat(to: try JID("bob@xmpp.test/x"), body: "ask me"))
            try await server.send(
                [
                    iq("1", "get", ask), iq("2", "set", Self.poison), iq("", "get", Self.poison),
                    iq("r", "result", Self.poison), iq("e", "error", Self.poison), iq("3", "get", ask),
                    iq("4", "get", Self.poison), iq("5", "get", ask),
                ].joined(), to: "alice")
            await server.next { $0["id"] == "5" }
            let answers = await server.received.filter { $0.name.local == "iq" && $0["type"] == "error" }
            #expect(answers.compactMap { $0["id"] } == ["1", "2", "3", "4", "5"])
            #expect(answers.allSatisfy { $0["to"] == "bob@xmpp.test/x" })
            let conditions = answers.compactMap { (try? IQ(from: $0))?.error?.condition }
            #expect(
                conditions == [.serviceUnavailable, .badRequest, .serviceUnavailable, .badRequest, .serviceUnavailable])
            try await server.send(
                "<iq from='spy@evil.test/x' id='spy' type='get'>\(Self.poison)</iq>", to: "alice")
            #expect(try IQ(from: await server.next { $0["id"] == "spy" }).error == MemoryServer.absence)
        }
    }

    @Test(
        "a request with an unreadable response fails immediately, and only through the queried entity",
        arguments: ["result", "error"])
    func failed(type: String) async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") { $0.requestTimeout = .seconds(10_000) }
        try await Client(configuration).run { session in
            let events = session.events(.elements)
            async let answer = session.request(Question("who?"), to: try JID("bob@xmpp.test/x"))
            let id = await server.next { $0.firstChild?.text == "who?" }["id"] ?? ""
            func reply(_ sender: String) -> String {
                "<iq type='\(type)' id='\(id)' from='\(sender)'>\(Self.poison)</iq>"
            }
            try await server.send(reply("eve@xmpp.test/x") + reply("bob@xmpp.test"), to: "alice")
            var count = 0
            _ = await events.first { _ in
                count += 1
                return count == 2 ? true : nil
            }
            #expect(await session.pendingRequests == 1)
            try await server.send(reply("bob@xmpp.test/x"), to: "alice")
            let error: ClientError?
            do {
                _ = try await answer
                error = nil
            } catch let failure as ClientError {
                error = failure
            }
            #expect(error?.code == .unreadableAnswer)
            #expect((error?.cause as? XMLError)?.code == .tooManyAttributes)
        }
    }

    @Test("a session that continues in another process has counted it: nothing is duplicated or lost")
    func counted() async throws {
        let server = MemoryServer()
        let disk = Disk()
        let first = Lifetime()
        var configuration = try server.account("alice", resource: "desk") { $0.reconnection = .never }
        configuration.live(first, on: disk)
        try? await Client(configuration).run { session in
            let events = session.events(.messages)
            try await server.send(
                message("1") + "<message from='bob@xmpp.test/x'>\(Self.poison)</message>" + message("2"), to: "alice")
            _ = await events.first { if case .message(let message) = $0, message.id == "2" { true } else { nil } }
            first.end()
            await server.abandon("alice")
            _ = await session.events(.connection).first { _ in nil as Bool? }
        }
        await server.wait { $0.suspendedCount > 0 }
        var next = try server.account("alice", resource: "desk")
        next.live(Lifetime(), on: disk)
        try await Client(next).run { session in
            #expect(await session.agreement?.isResumed == true)
            let events = session.events(.messages)
            try await server.send(message("3"), to: "alice")
            _ = await events.first { if case .message(let message) = $0, message.id == "3" { true } else { nil } }
        }
        #expect(disk.content.received == ["1", "2", "3"])
    }

    @Test("the log contains what was skipped and why, and nothing private")
    func log() async throws {
        let server = MemoryServer()
        let lines = Mutex<[String]>([])
        let configuration = try server.account("alice") {
            $0.add { SessionLog($0, .failures) { _, line in lines.withLock { $0.append(line) } } }
        }
        try await Client(configuration).run { session in
            let events = session.events(.messages)
            try await server.send(
                "<message type='chat' id='17' from='bob@xmpp.test/x'>\(Self.poison)</message>" + message("2"),
                to: "alice")
            _ = await events.message()
        }
        let line = lines.withLock { $0.first }
        #expect(line?.hasPrefix("skipped message chat 17 [] of ") == true)
        #expect(line?.contains("An element has more attributes than the limit.") == true)
        #expect(line?.contains("bob") == false)
    }

    @Test("a stanza is read again from a file store, even if it is longer when it is written again")
    func fileStore() async throws {
        let path = temporaryPath()
        defer { remove(path) }
        let stanza = try XMLElement(parsing: "<message xmlns='jabber:client' id='1'>\(Self.poison)</message>")
        let store = try FileSessionStore(path: path, keeping: { _ in true })
        try await store.commit(SessionChange(received: [ReceivedStanza(stanza)], resumption: nil))
        #expect(store.received.map(\.stanza) == [stanza])
    }
}
