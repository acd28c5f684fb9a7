import Testing
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

@Suite("Requests", .timeLimit(.minutes(20)))
struct RequestTests {
    private func id(of question: String, at server: MemoryServer) async -> String {
        await server.next { $0.firstChild?.text == question }["id"] ?? ""
    }

    @Test("S0-16, W-20: a response is matched by id and sender, once; forged and repeated ones are ignored")
    func impostors() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            async let answer = session.request(Question("who?"), to: try JID("bob@xmpp.test/x"))
            let id = await id(of: "who?", at: server)
            let events = session.events(.iqs)
            for sender in ["eve@xmpp.test/x", "bob@xmpp.test", "bob@xmpp.test/y", "xmpp.test"] {
                try await server.send(
                    "<iq type='result' id='\(id)' from='\(sender)'><question xmlns='urn:example:question'>false</question></iq>",
                    to: "alice")
            }
            try await server.send(
                "<iq type='result' id='\(id)'><question xmlns='urn:example:question'>false</question></iq>", to: "alice"
            )
            try await server.send(
                "<iq type='result' id='other' from='bob@xmpp.test/x'><question xmlns='urn:example:question'>no</question></iq>",
                to: "alice")
            for _ in 0..<2 {
                try await server.send(
                    "<iq type='result' id='\(id)' from='bob@xmpp.test/x'><question xmlns='urn:example:question'>true</question></iq>",
                    to: "alice")
            }
            #expect(try await answer.text == "true")
            var strays = 0
            let last = await events.first { event -> Bool? in
                strays += 1
                return strays == 7 ? true : nil
            }
            #expect(last == true)
            #expect(await session.pendingRequests == 0)
        }
    }

    @Test(
        "RFC 6120 §8.1.2.1: our own server may respond without a sender, as the account or as the domain",
        arguments: [nil, "alice@xmpp.test", "alice@xmpp.test/desk", "xmpp.test"] as [String?])
    func ownServer(sender: String?) async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        try await Client(try server.account("alice", resource: "desk")).run { session in
            async let answer = session.request(Question("who?"))
            let id = await id(of: "who?", at: server)
            let from = sender.map { "from='\($0)'" } ?? ""
            try await server.send(
                "<iq type='result' id='\(id)' \(from)><question xmlns='urn:example:question'>me</question></iq>",
                to: "alice")
            #expect(try await answer.text == "me")
        }
    }

    @Test("an error response is thrown with its condition; an invalid one is reported as such")
    func errors() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let refused = await #expect(throws: ClientError.self) { try await session.request(Question("x")) }
            #expect(refused?.code == .refused && refused?.stanzaError?.condition == .serviceUnavailable)
            async let answer = session.request(Question("x"), to: try JID("bob@xmpp.test/x"))
            let id = await server.next { $0["to"] == "bob@xmpp.test/x" }["id"] ?? ""
            try await server.send(
                "<iq type='result' id='\(id)' from='bob@xmpp.test/x'><other xmlns='u'/></iq>", to: "alice")
            do {
                _ = try await answer
                Issue.record("The answer was accepted.")
            } catch {
                #expect((error as? ClientError)?.code == .unreadableAnswer)
            }
        }
    }

    @Test("a request times out, its id is removed, and a late response has no effect")
    func timeout() async throws {
        let clock = ManualClock()
        let server = MemoryServer()
        await server.ignore(Question.name)
        let configuration = try server.account("alice") {
            $0.clock = clock.clock
            $0.keepAlive = .off
        }
        try await Client(configuration).run { session in
            let error = try await clock.run {
                await #expect(throws: ClientError.self) {
                    try await session.request(Question("x"), timeout: .seconds(5))
                }
            }
            #expect(error?.code == .timedOut && error?.exitClass == .failed)
            #expect(await session.pendingRequests == 0)
            let events = session.events(.iqs)
            let id = await id(of: "x", at: server)
            try await server.send(
                "<iq type='result' id='\(id)'><question xmlns='urn:example:question'/></iq>", to: "alice")
            #expect(await events.first { if case .iq(let iq) = $0 { iq.id } else { nil } } == id)
        }
    }

    @Test("cancelling a request leaves no pending id behind")
    func cancellation() async throws {
        let server = MemoryServer()
        await server.ignore(Question.name)
        try await Client(try server.account("alice")).run { session in
            let task = Task { try await session.request(Question("x")) }
            await server.next("iq")
            #expect(await session.pendingRequests == 1)
            task.cancel()
            let result = await task.result
            #expect(throws: ClientError.self) { try result.get() }
            #expect(await session.pendingRequests == 0)
        }
    }

    @Test("a thousand concurrent requests each get their own response")
    func many() async throws {
        let server = MemoryServer()
        let handler = IQHandler(Question.self, audience: .everybody) { question, _ in Question("re: \(question.text)") }
        try await Client(try server.account("bob", resource: "r")).run { bob in
            try await bob.register(handler)
            try await Client(try server.account("alice")).run { alice in
                let receiver = try JID("bob@xmpp.test/r")
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for block in 0..<25 {
                        group.addTask {
                            for number in 0..<40 {
                                let text = "\(block)/\(number)"
                                guard try await alice.request(Question(text), to: receiver).text == "re: \(text)" else {
                                    return false
                                }
                            }
                            return true
                        }
                    }
                    for try await isRight in group { #expect(isRight) }
                }
            }
        }
    }

    @Test("S0-42: a request without a handler gets service-unavailable")
    func unhandled() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            for type in ["get", "set"] {
                let events = session.events(.iqs)
                try await server.send(
                    "<iq type='\(type)' id='u-\(type)' from='bob@xmpp.test/x'><q xmlns='u'>secret</q></iq>", to: "alice"
                )
                let reply = await server.next { $0["id"] == "u-\(type)" }
                #expect(reply["type"] == "error" && reply["to"] == "bob@xmpp.test/x")
                #expect(try IQ(from: reply).error?.condition == .serviceUnavailable)
                #expect(!reply.description.contains("secret"))
                #expect(await events.first { if case .iq(let iq) = $0 { iq.id } else { nil } } == "u-\(type)")
            }
        }
    }

    @Test("Martin #9: results, errors, messages and presences get no response; an invalid request is rejected")
    func neverAnswered() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            for stanza in [
                "<iq type='result' id='n1' from='bob@xmpp.test/x'/>",
                "<iq type='error' id='n2' from='bob@xmpp.test/x'><error type='cancel'/></iq>",
                "<message id='n3' from='bob@xmpp.test/x'><q xmlns='u'/></message>",
                "<presence id='n4' from='bob@xmpp.test/x'/>", "<message id='n5' from='@'/>",
                "<presence id='n6' type='strange' from='bob@xmpp.test/x'/>",
                "<iq type='get' id='n7' from='@'><q xmlns='u'/></iq>",
                "<iq type='get' id='broken' from='bob@xmpp.test/x'/>",
            ] { try await server.send(stanza, to: "alice") }
            let reply = await server.next { $0["id"] == "broken" }
            #expect(try IQ(from: reply).error == MemoryServer.absence)
            try await server.send("<iq type='get' id='own' from='xmpp.test'/>", to: "alice")
            #expect(try IQ(from: await server.next { $0["id"] == "own" }).error?.condition == .badRequest)
            _ = try await session.request(Ping())
            let ids = await server.received.compactMap { $0["id"] }.filter { $0.hasPrefix("n") && $0.count == 2 }
            #expect(ids.isEmpty)
        }
    }

    @Test("the error of a handler is the error of the response")
    func handlerErrors() async throws {
        struct Odd: Error {}
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            try await session.register(
                IQHandler(Question.self, audience: .everybody) { question, _ in
                    switch question.text {
                    case "forbidden": throw StanzaError(.forbidden)
                    case "odd": throw Odd()
                    default: return question
                    }
                })
            for (text, condition) in [
                ("forbidden", StanzaError.Condition.forbidden), ("odd", .internalServerError),
                ("unreadable", .badRequest),
            ] {
                try await server.send(
                    "<iq type='get' id='\(text)' from='bob@xmpp.test/x'><question xmlns='urn:example:question'>\(text)</question></iq>",
                    to: "alice")
                let reply = await server.next { $0["id"] == text }
                #expect(try IQ(from: reply).error?.condition == condition)
            }
        }
    }

    @Test("Martin #2: each request has one owner; features follow the handlers")
    func owners() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let handler = IQHandler(Question.self, audience: .everybody) { question, _ in question }
            try await session.register(handler)
            let error = await #expect(throws: ClientError.self) { try await session.register(handler) }
            #expect(error?.code == .handlerExists)
            #expect(await session.features == ["urn:example:question"])
            try await session.register(IQHandler(.set, Question.name, feature: .named("b")) { _ in nil })
            try await session.register(IQHandler(.set, Ping.name, feature: .none) { _ in nil })
            #expect(await session.features == ["b", "urn:example:question"])
            await session.unregister(handler.key)
            #expect(await session.features == ["b"])
        }
    }

    @Test("requests of one kind are handled in order, and a handler may send requests itself")
    func handlerOrder() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            try await session.register(
                IQHandler(Question.self, audience: .everybody) { question, _ in
                    _ = try await session.request(Ping())
                    return question
                })
            for number in 0..<20 {
                try await server.send(
                    "<iq type='get' id='o\(number)' from='bob@xmpp.test/x'><question xmlns='urn:example:question'/></iq>",
                    to: "alice")
            }
            for number in 0..<20 {
                let reply = await server.next { $0["type"] == "result" }
                #expect(reply["id"] == "o\(number)")
            }
        }
    }

    @Test("a flood of requests is refused, and not stored without limit")
    func flood() async throws {
        let server = MemoryServer()
        let gate = Gate()
        try await Client(try server.account("alice")).run { session in
            try await session.register(
                IQHandler(Question.self, audience: .everybody) { question, _ in
                    await gate.wait()
                    return question
                })
            let count = StanzaRouter.lineLimit + 20
            for number in 0..<count {
                try await server.send(
                    "<iq type='get' id='f\(number)' from='bob@xmpp.test/x'><question xmlns='urn:example:question'/></iq>",
                    to: "alice")
            }
            let refused = await server.next { $0["type"] == "error" }
            #expect(try IQ(from: refused).error?.condition == .resourceConstraint)
            gate.open()
            await server.wait { server in server.received.filter { $0["id"]?.hasPrefix("f") ?? false }.count == count }
        }
    }
}

extension Session {
    var pendingRequests: Int { requests.count }
}
