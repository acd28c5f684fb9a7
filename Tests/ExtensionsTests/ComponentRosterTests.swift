import HongyanTesting
import Roster
import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas
import XMPPStream

/// What strangers can make a component store and answer, against a server in memory.
@Suite("Subscriptions of a component", .timeLimit(.minutes(5)))
struct ComponentRosterTests {
    /// The server's end of the stream of one component.
    private final class Line: Sendable {
        let transport: InMemoryTransport

        init(_ transport: InMemoryTransport) { self.transport = transport }

        func send(_ text: String) async throws { try await transport.write(Array(text.utf8)) }

        /// What the component has sent up to and including this text.
        func receive(upTo end: String) async throws -> String {
            var text = ""
            while !text.contains(end) {
                let bytes = try await transport.read()
                guard !bytes.isEmpty else { throw CancellationError() }
                text += String(decoding: bytes, as: UTF8.self)
            }
            return text
        }

        func accept() async throws {
            _ = try await receive(upTo: "streams'>")
            try await send(
                "<stream:stream xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams' id='1'>"
            )
            _ = try await receive(upTo: "</handshake>")
            try await send("<handshake/>")
        }

        /// What the component has sent in answer to these stanzas.
        func answers(to stanzas: String) async throws -> String {
            try await send(
                stanzas + "<iq type='get' id='end' from='x.test' to='gateway.test'><unknown xmlns='urn:x'/></iq>")
            return try await receive(upTo: "</iq>")
        }
    }

    private func withComponent(
        _ subscriptions: [ComponentSubscription] = [], policy: ComponentRoster.Policy = .ask,
        _ body: (_ roster: ComponentRoster, _ line: Line) async throws -> Void
    ) async throws {
        let (near, far) = InMemoryTransport.pair()
        var configuration = ComponentConfiguration(domain: try JID("gateway.test"), secret: "s")
        configuration.transports = TransportFactory { _ in near }
        configuration.add { ComponentRoster($0, subscriptions: subscriptions, policy: policy) }
        let line = Line(far)
        let accepting = Task { try await line.accept() }
        try await Component(configuration).run { session in
            try await accepting.value
            try await body(try #require(session[ComponentRoster.self]), line)
            far.abort()
        }
    }

    private static func presence(_ type: String, from contact: String, to address: String = "goose@gateway.test")
        -> String
    {
        "<presence type='\(type)' from='\(contact)' to='\(address)'/>"
    }

    @Test("requests that wait for the program are bounded and not answered")
    func requests() async throws {
        try await withComponent { roster, line in
            let flood = (0..<ComponentRoster.requestLimit + 100).map {
                Self.presence("subscribe", from: "stranger\($0)@evil.test/x")
            }
            let answers = try await line.answers(to: (flood + flood).joined())
            #expect(!answers.contains("<presence"))
            #expect(await roster.subscriptions.count == ComponentRoster.requestLimit)
            // An answered request makes room for another one.
            try await roster.reject(try JID("stranger0@evil.test"), at: try JID("goose@gateway.test"))
            _ = try await line.answers(to: Self.presence("subscribe", from: "last@evil.test"))
            #expect(await roster.subscriptions.count == ComponentRoster.requestLimit)
            let last = await roster.subscription(of: try JID("goose@gateway.test"), with: try JID("last@evil.test"))
            #expect(last.isRequested)
        }
    }

    @Test("answers that nobody asked for, and cancellations of nothing, change and send nothing")
    func unsolicited() async throws {
        try await withComponent { roster, line in
            let stanzas = ["subscribed", "unsubscribed", "unsubscribe", "unavailable", "error"].map {
                Self.presence($0, from: "stranger@evil.test")
            }
            let answers = try await line.answers(to: stanzas.joined())
            #expect(!answers.contains("<presence"))
            #expect(await roster.subscriptions.isEmpty)
        }
    }

    @Test("a probe shows the presence to subscribers only, and an accepted contact is answered again")
    func probes() async throws {
        let (goose, friend) = (try JID("goose@gateway.test"), try JID("friend@x.test"))
        let known = ComponentSubscription(address: goose, contact: friend, state: .from)
        try await withComponent([known, ComponentSubscription(address: goose, contact: try JID("gone@x.test"))]) {
            roster, line in
            #expect(await roster.subscriptions == [known])
            let stranger = try await line.answers(to: Self.presence("probe", from: "stranger@evil.test"))
            #expect(stranger.contains("to='stranger@evil.test' from='goose@gateway.test'"))
            #expect(stranger.contains("type='unsubscribed'"))
            let probed = try await line.answers(to: Self.presence("probe", from: "friend@x.test/phone"))
            #expect(probed.contains("<presence to='friend@x.test/phone' from='goose@gateway.test'"))
            #expect(!probed.contains("unsubscribed"))
            let again = try await line.answers(to: Self.presence("subscribe", from: "friend@x.test"))
            #expect(again.contains("type='subscribed'"))
            #expect(await roster.subscriptions == [known])
        }
    }
}
