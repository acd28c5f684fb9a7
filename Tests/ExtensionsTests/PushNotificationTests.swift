import ClientState
import DataForms
import PublishSubscribe
import ServerFixtures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Push notifications (XEP-0357)", .timeLimit(.minutes(10)))
struct PushNotificationTests {
    @Test("enabling and disabling on the wire")
    func requests() throws {
        try checkRoundTrip(
            PushActivation.self,
            "<enable xmlns='urn:xmpp:push:0' jid='push-5.client.example' node='yxs32uqsflafdk3iuqo'/>")
        try checkRoundTrip(
            PushActivation.self,
            "<enable xmlns='urn:xmpp:push:0' jid='push-5.client.example' node='yxs32uqsflafdk3iuqo'>"
                + "<x xmlns='jabber:x:data' type='submit'><field type='hidden' var='FORM_TYPE'>"
                + "<value>http://jabber.org/protocol/pubsub#publish-options</value></field>"
                + "<field var='secret'><value>eruio234vzxc2kla-91</value></field></x></enable>")
        try checkRoundTrip(PushDeactivation.self, "<disable xmlns='urn:xmpp:push:0' jid='push-5.client.example'/>")
        try checkRoundTrip(
            PushDeactivation.self,
            "<disable xmlns='urn:xmpp:push:0' jid='push-5.client.example' node='yxs32uqsflafdk3iuqo'/>")
        for name in ["enable", "disable"] {
            let element = try XMLElement(parsing: "<\(name) xmlns='urn:xmpp:push:0' jid='@'/>")
            #expect(throws: XMLDecodingError.self) { try PushActivation(from: element) }
            #expect(throws: XMLDecodingError.self) { try PushDeactivation(from: element) }
        }
    }

    @Test("what a server publishes")
    func notification() throws {
        let element = try XMLElement(
            parsing: "<notification xmlns='urn:xmpp:push:0'><x xmlns='jabber:x:data'>"
                + "<field var='FORM_TYPE'><value>urn:xmpp:push:summary</value></field>"
                + "<field var='message-count'><value>1</value></field>"
                + "<field var='last-message-sender'><value>juliet@capulet.example/balcony</value></field>"
                + "<field var='last-message-body'><value>Wherefore art thou, Romeo?</value></field></x>"
                + "<additional xmlns='http://example.com/custom'>Additional custom elements</additional></notification>"
        )
        let read = try PushNotification(from: element)
        #expect(
            read
                == PushNotification(
                    messageCount: 1, lastSender: try JID("juliet@capulet.example/balcony"),
                    lastBody: "Wherefore art thou, Romeo?"))
        #expect(try PushNotification(from: XMLElement(read)) == read)
        let empty = try XMLElement(parsing: "<notification xmlns='urn:xmpp:push:0'/>")
        #expect(try PushNotification(from: empty) == PushNotification())
    }

    private static func options(_ kind: ServerKind) -> ServerOptions {
        ServerOptions {
            $0.componentDomains = ["push.test"]
            $0.addedModules = [kind.isProsody ? "cloud_notify" : "mod_push"]
        }
    }

    /// The service publishes for a device that has no connection: the program that gets it is a component here.
    @Test(
        "a message for a device without a connection is published at its push service", arguments: ServerKind.allCases)
    func live(kind: ServerKind) async throws {
        let server = try await kind.shared(Self.options(kind))
        let (received, notifications) = AsyncStream.makeStream(of: PublishRequest.self)
        var service = ComponentConfiguration(domain: try JID("push.test"), secret: server.componentSecret)
        service.port = server.componentPort
        service.add { _ in
            PushReceiver { notifications.yield($0) }
        }
        let account = try await server.newAccount("romeo")
        var phone = try server.configuration(account)
        phone.add { PushNotifications($0) }
        let juliet = Client(try server.configuration(try await server.newAccount("juliet")))
        let configuration = phone
        try await Component(service).run { _ in
            try await juliet.run { second in
                try await withDeadline {
                    try await Client(configuration).run { session in
                        try await session.send(Presence())
                        let push = try #require(session[PushNotifications.self])
                        #expect(try await push.isOffered())
                        try await push.enable(
                            PushService(at: try JID("push.test"), node: "device", options: ["secret": "eruio"]))
                        #expect(await push.services.map(\.node) == ["device"])
                    }
                    try await second.send(.chat(to: try JID(account.address), body: "Wherefore art thou?"))
                    let request = try #require(await received.first { _ in true })
                    #expect(request.node == "device")
                    #expect(request.options?["secret"]?.values == ["eruio"])
                    #expect(try request.items.first?.decode(PushNotification.self) != nil)

                    try await Client(configuration).run { session in
                        let push = try #require(session[PushNotifications.self])
                        try await push.disable(try JID("push.test"))
                        #expect(await push.services.isEmpty)
                    }
                }
            }
        }
    }
}

/// Answers what servers publish.
private struct PushReceiver: SessionExtension {
    var received: @Sendable (PublishRequest) -> Void

    var handlers: [IQHandler] {
        [
            IQHandler(.set, PublishRequest.name) { iq in
                guard let payload = iq.payload else { throw StanzaError(.badRequest) }
                received(try PublishRequest(from: payload))
                return nil
            }
        ]
    }
}
