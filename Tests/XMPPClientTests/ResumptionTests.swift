import ServerFixtures
import Testing
import TransportLayer
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

@Suite("Lost connections", .timeLimit(.minutes(20)))
struct ResumptionTests {
    private func online(_ events: SessionEvents) async -> Bool? {
        await events.first { if case .connection(.online(_, let isResumed)) = $0 { isResumed } else { nil } }
    }

    @Test(
        "S3-23: after a cut the session is resumed; what was sent meanwhile arrives once, and a pending request continues"
    )
    func resume() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        try await Client(try server.account("alice", resource: "desk")).run { session in
            let events = session.events(.connection)
            async let answer = session.request(Question("x"))
            let id = await server.next("iq")["id"] ?? ""
            let address = await session.address
            await server.cut("alice")
            #expect(
                await events.first {
                    if case .connection(.disconnected(_, let pause)) = $0 { pause != nil } else { nil }
                } == true)
            let token = try await session.send(Message(to: try JID("bob@xmpp.test"), id: "m", body: "in the gap"))
            #expect(await online(events) == true)
            #expect(await session.address == address)
            try await token.reached(.acknowledged)
            try await server.send(
                "<iq type='result' id='\(id)'><question xmlns='urn:example:question'>y</question></iq>", to: "alice")
            #expect(try await answer.text == "y")
            #expect(await server.received.filter { $0["id"] == "m" }.count == 1)
        }
        #expect(await server.connections == 2)
    }

    @Test("W-27, S0-24: if the session is lost, pending requests fail, a new one starts and presence is sent again")
    func freshAfterRefusal() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        let configuration = try server.account("alice") {
            $0.reconnection = ReconnectionPolicy(attempts: 5, backoff: Backoff(first: .seconds(60)))
        }
        try await Client(configuration).run { session in
            try await session.send(Presence(show: .away))
            await server.next("presence")
            let events = session.events(.connection)
            async let answer = session.request(Question("x"))
            await server.next("iq")
            await server.cut("alice")
            let isCut = await events.first { if case .connection(.disconnected) = $0 { true } else { nil } }
            #expect(isCut == true)
            await server.wait { $0.suspendedCount > 0 }
            await server.expireSuspended()
            await session.reconnectNow()
            #expect(await online(events) == false)
            do {
                _ = try await answer
                Issue.record("A request of a lost session was answered.")
            } catch {
                #expect((error as? ClientError)?.code == .connectionFailed)
            }
            let again = await server.next("presence")
            #expect(try Presence(from: again).show == .away)
            _ = try await session.request(Ping())
        }
    }

    @Test("a message for one session on the server is not sent in the next one, however long it waits for its turn")
    func onlyInOneSession() async throws {
        let server = MemoryServer()
        let (isHeld, goes) = (Gate(), Gate())
        let configuration = try server.account("alice") {
            $0.reconnection = ReconnectionPolicy(attempts: 5, backoff: Backoff(first: .seconds(60)))
            $0.interceptors = [
                Hook(send: { stanza, _ in
                    if stanza.id == "late" {
                        isHeld.open()
                        await goes.wait()
                    }
                    return .pass(stanza)
                })
            ]
        }
        try await Client(configuration).run { session in
            let bob = try JID("bob@xmpp.test")
            let first = await session.serverSessionCount
            let events = session.events(.connection)
            async let late = session.send(Message(to: bob, id: "late", body: "late"), onlyIn: first)
            await isHeld.wait()
            await server.cut("alice")
            let isCut = await events.first { if case .connection(.disconnected) = $0 { true } else { nil } }
            #expect(isCut == true)
            await server.wait { $0.suspendedCount > 0 }
            await server.expireSuspended()
            await session.reconnectNow()
            #expect(await online(events) == false)
            goes.open()
            do {
                _ = try await late
                Issue.record("It was sent in the next session.")
            } catch {
                #expect((error as? ClientError)?.code == .notConnected)
            }
            #expect(await session.serverSessionCount == first + 1)
            _ = try await session.send(Message(to: bob, id: "next", body: "next"), onlyIn: first + 1)
            _ = try await session.request(Ping())
            #expect(await server.received.compactMap { $0["id"] }.filter { ["late", "next"].contains($0) } == ["next"])
        }
    }

    @Test("later stanzas do not overtake a message that was lost with its session", arguments: [false, true])
    func lostInOrder(isEncrypted: Bool) async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") {
            $0.reconnection = ReconnectionPolicy(attempts: 5, backoff: Backoff(first: .seconds(60)))
        }
        try await Client(configuration).run { session in
            let (bob, carol) = (try JID("bob@xmpp.test"), try JID("carol@xmpp.test"))
            // Programs that read the newer envelopes need no body.
            func message(to receiver: JID, id: String, _ body: String) throws -> Message {
                guard isEncrypted else { return Message(to: receiver, id: id, body: body) }
                let hint = try XMLElement(parsing: "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:omemo:2'/>")
                return Message(to: receiver, id: id, payloads: [hint])
            }
            await server.mute("alice")
            let events = session.events(.connection)
            let lost = try await session.send(try message(to: bob.with(resource: "a"), id: "1", "first"))
            try await lost.reached(.written)
            await server.cut("alice")
            let isCut = await events.first { if case .connection(.disconnected) = $0 { true } else { nil } }
            #expect(isCut == true)
            let later = try await session.send(try message(to: bob, id: "2", "second"))
            let other = try await session.send(try message(to: carol, id: "3", "to somebody else"))
            await server.wait { $0.suspendedCount > 0 }
            await server.expireSuspended(remembersCount: false)
            await session.reconnectNow()
            #expect(await online(events) == false)
            #expect(lost.failure?.code == .unacknowledged)
            #expect(later.failure?.code == .connectionFailed)
            try await other.reached(.acknowledged)
            #expect(await server.received.contains { $0["id"] == "2" } == false)
        }
    }

    @Test("without stream management the loss is reported immediately, and a new session starts by itself")
    func withoutManagement() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        let configuration = try server.account("alice") { $0.usesStreamManagement = false }
        try await Client(configuration).run { session in
            #expect(await session.resumptionState == nil)
            let events = session.events(.connection)
            async let answer = session.request(Question("x"))
            await server.next("iq")
            await server.cut("alice")
            do {
                _ = try await answer
                Issue.record("A request of a lost session was answered.")
            } catch {
                #expect((error as? ClientError)?.code == .connectionFailed)
            }
            #expect(await online(events) == false)
            _ = try await session.request(Ping())
        }
    }

    @Test("after the last attempt the session ends with the reason, and the events end")
    func givesUp() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice")
        let error = await #expect(throws: ClientError.self) {
            try await Client(configuration).run { session in
                let events = session.events(.connection)
                await server.kill()
                let waiting = try? await session.send(Message(to: try JID("bob@xmpp.test"), body: "x"))
                let seen = await labels(events)
                #expect(seen.filter { $0 == "disconnected" }.count == 4)
                #expect(seen.filter { $0 == "willConnect" }.count == 3)
                if let waiting { #expect(waiting.failure != nil) }
            }
        }
        #expect(error?.streamFailure?.code == .serverUnreachable)
    }

    @Test(
        "a conflict, a policy violation or a closed account is not retried",
        arguments: [StreamError.Condition.conflict, .hostUnknown, .notAuthorized])
    func noRetry(condition: StreamError.Condition) async throws {
        let server = MemoryServer()
        await #expect(throws: ClientError.self) {
            try await Client(try server.account("alice")).run { session in
                let events = session.events(.connection)
                await server.close("alice", StreamError(condition))
                _ = await labels(events)
            }
        }
        #expect(await server.connections == 1)
    }

    @Test("an unreadable authority file is reported once, with its path and the reason")
    func unreadableAuthorities() async throws {
        let server = try await ServerKind.prosody.shared()
        let account = try await server.newAccount()
        let configuration = try server.configuration(account) {
            $0.trust = .certificateAuthority("/nowhere/ca.pem")
            $0.reconnection.retriesFirstLogin = true
        }
        let error = await clientError { try await Client(configuration).run { _ in } }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.streamFailure?.category == .settings)
        #expect(error?.message.contains("/nowhere/ca.pem: No such file or directory") == true)
    }

    @Test(
        "after a server closes or restarts the session reconnects",
        arguments: [nil, StreamError.Condition.systemShutdown, .reset])
    func retry(condition: StreamError.Condition?) async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let events = session.events(.connection)
            await server.close("alice", condition.map { StreamError($0) })
            #expect(await online(events) == false)
        }
        #expect(await server.connections == 2)
    }

    @Test(
        "a stream that ends in the moment in which it begins was a session, not a login that failed: there is a next one"
    )
    func endedAtOnce() async throws {
        let server = MemoryServer()
        let isHolding = Gate()
        let configuration = try server.account("alice") { configuration in
            let connect = configuration.transports.connect
            configuration.usesStreamManagement = false
            configuration.transports = TransportFactory { target throws(TransportError) in
                GatheringTransport(base: try await connect(target), isHolding: isHolding)
            }
        }
        try await Client(configuration).run(from: .connecting) { session in
            let events = session.events(.connection)
            session.connect()
            await isHolding.wait()
            await server.close("alice", StreamError(.systemShutdown))
            var seen: [String] = []
            _ = await events.first { event -> Bool? in
                guard case .connection(let event) = event, ["online", "disconnected"].contains(event.label) else {
                    return nil
                }
                seen.append(event.label)
                return seen.count == 3 ? true : nil
            }
            #expect(seen == ["online", "disconnected", "online"])
        }
        #expect(await server.connections == 2)
    }

    @Test("see-other-host is followed, but not in circles")
    func redirect() async throws {
        let server = MemoryServer()
        let hosts = Box<[String?]>()
        let configuration = try server.account("alice") { configuration in
            let connect = configuration.transports.connect
            configuration.reconnection = .never
            configuration.transports = TransportFactory { target throws(TransportError) in
                hosts.value = (hosts.value ?? []) + [target.host]
                return try await connect(target)
            }
        }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            await server.close(
                "alice", StreamError(.seeOtherHost, otherHost: StreamError.Host(name: "b.xmpp.test", port: 5223)))
            #expect(await online(events) == false)
            #expect(hosts.value == [nil, "b.xmpp.test"])
        }
    }

    @Test("the backoff doubles up to a maximum and has jitter")
    func pauses() {
        let policy = ReconnectionPolicy(attempts: 5, backoff: Backoff(first: .seconds(1), longest: .seconds(5)))
        #expect(
            (1...6).map { policy.pause(beforeAttempt: $0, jitterFraction: 0) } == [
                .seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5), nil,
            ])
        #expect(policy.pause(beforeAttempt: 1, jitterFraction: 1) == .milliseconds(500))
        #expect(ReconnectionPolicy.never.pause(beforeAttempt: 1, jitterFraction: 0) == nil)
    }

    @Test("another client can resume a session from its stored state")
    func acrossProcesses() async throws {
        let server = MemoryServer()
        let state = Box<ResumptionState>()
        let configuration = try server.account("alice", resource: "desk") { $0.reconnection = .never }
        await #expect(throws: ClientError.self) {
            try await Client(configuration).run { session in
                state.value = await session.resumptionState
                await server.cut("alice")
                _ = await labels(session.events(.connection))
            }
        }
        var next = configuration
        next.resumption = state.value
        #expect(next.resumption != nil)
        try await Client(next).run(from: .connecting) { session in
            let events = session.events(.connection)
            session.connect()
            #expect(await online(events) == true)
            #expect(await session.address?.resource == "desk")
        }
    }
}
