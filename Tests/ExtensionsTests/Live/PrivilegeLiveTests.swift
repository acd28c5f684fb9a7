import EntityInformation
import PublishSubscribe
import Roster
import ServerFixtures
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Privileges and delegated namespaces of a component (XEP-0356, XEP-0355)", .serialized, .timeLimit(.minutes(10)))
struct PrivilegeLiveTests {
    private static let privilege =
        "<privilege xmlns='urn:xmpp:privilege:2'><perm access='roster' push='true' type='both'/>"
        + "<perm access='message' type='outgoing'/><perm access='iq'>"
        + "<namespace ns='http://jabber.org/protocol/pubsub' type='set'/></perm><perm access='presence' type='roster'/></privilege>"

    @Test("what a server grants, on the wire")
    func payload() throws {
        try checkRoundTrip(Privileges.self, Self.privilege)
        let read = try Privileges(from: XMLElement(parsing: Self.privilege))
        #expect(read.roster == .both && read.rosterPushes && read.sendsMessages)
        #expect(read.presence == .ofContacts)
        #expect(read.requests == ["http://jabber.org/protocol/pubsub": .set])
        #expect(Privileges.RequestAccess.set.allows(.set) && !Privileges.RequestAccess.set.allows(.get))
        let odd = try Privileges(
            from: XMLElement(
                parsing: "<privilege xmlns='urn:xmpp:privilege:2'><perm access='roster' type='all'/>"
                    + "<perm access='message' type='none'/><perm access='throne' type='both'/></privilege>"))
        #expect(odd == Privileges())
    }

    /// - Parameter delegates: whether namespaces are delegated; otherwise privileges are granted. ejabberd 24.12 drops the
    ///   responses of components if both modules are loaded.
    private static func options(_ kind: ServerKind, delegates: Bool) -> ServerOptions {
        ServerOptions {
            $0.componentDomains = ["priv.test"]
            if kind.isProsody {
                $0.addedModules = [delegates ? "delegation" : "privilege"]
                $0.componentModules = $0.addedModules
                $0.configurationLines = [
                    delegates
                        ? "delegations = { [\"urn:example:delegated\"] = { filtering = {}; jid = \"priv.test\" } }"
                        : """
                        privileged_entities = { ["priv.test"] = { roster = "both"; message = "outgoing"; \
                        presence = "managed_entity"; iq = { ["http://jabber.org/protocol/pubsub"] = "both" } } }
                        """
                ]
            } else if delegates {
                $0.moduleOptions = ["mod_delegation": "{ namespaces: { \"urn:example:delegated\": { access: all } } }"]
            } else {
                $0.moduleOptions = [
                    "mod_privilege":
                        "{ roster: { both: all }, message: { outgoing: all }, presence: { managed_entity: all } }"
                ]
            }
        }
    }

    private struct Question: IQRequest, IQResponse, Equatable {
        typealias Response = Question
        static let name = XMLName("question", "urn:example:delegated")
        var text: String

        init(_ text: String) { self.text = text }

        init(from element: XMLElement) throws(XMLDecodingError) {
            try element.requireName(Self.name)
            text = element.text
        }

        init(payload: XMLElement?) throws(XMLDecodingError) {
            guard let payload else { throw XMLDecodingError(IQ.name, .missingElement(Self.name)) }
            try self.init(from: payload)
        }

        func encode(to writer: inout XMLWriter) { writer.element(Self.name, text: text) }
    }

    private func withComponent(
        _ kind: ServerKind, delegates: Bool,
        _ body: @escaping @Sendable (_ component: Session, _ romeo: Session, _ juliet: Session) async throws -> Void
    ) async throws {
        let server = try await kind.shared(Self.options(kind, delegates: delegates))
        var configuration = ComponentConfiguration(domain: try JID("priv.test"), secret: server.componentSecret)
        configuration.port = server.componentPort
        configuration.loginTimeout = .seconds(120)
        configuration.add {
            ServiceDiscovery($0) { _, _ in AddressDescription(.init(category: "component", type: "generic")) }
        }
        configuration.add { _ in PrivilegedEntity() }
        configuration.add {
            Delegation($0, of: Set([try? JID("xmpp.test")].compactMap { $0 })) { iq in
                guard let payload = iq.payload else { throw StanzaError(.badRequest) }
                let question = try Question(from: payload)
                guard question.text != "no" else { throw StanzaError(.notAcceptable) }
                return Question("answer to \(question.text) of \(iq.from?.bare.description ?? "nobody")")
            }
        }
        try await Component(configuration).run { component in
            try await server.withTwo { romeo, juliet in try await body(component, romeo, juliet) }
        }
    }

    @Test("a component reads a contact list and sends a message for an account", arguments: ServerKind.allCases)
    func privileges(kind: ServerKind) async throws {
        try await withComponent(kind, delegates: false) { component, romeo, juliet in
            let server = try JID("xmpp.test")
            let entity = try #require(component[PrivilegedEntity.self])
            while entity.privileges(at: server) == nil { try await Task.sleep(for: .milliseconds(20)) }
            let privileges = try #require(entity.privileges(at: server))
            #expect(privileges.sendsMessages)
            #expect(privileges.roster == .both)
            let (account, peer) = (try #require(await juliet.address).bare, try #require(await romeo.address).bare)
            _ = try await juliet[Roster.self]?.add(peer, name: "Romeo")
            let domain = try JID("priv.test")
            let list = try await component.request(RosterRequest(), from: domain, to: account).roster
            #expect(list?.items.first?.address == peer)

            let messages = romeo.events(.messages)
            try await entity.send(.chat(to: peer, body: "for Juliet"), as: account, in: component)
            let sender = try await messages.firstMessage { $0.body == "for Juliet" ? $0.from : nil }
            #expect(sender == account)
            await #expect(throws: ClientError.self) {
                try await entity.send(.chat(to: peer, body: "no"), as: try JID("a@elsewhere.test"), in: component)
            }
        }
    }

    @Test("a component answers requests to accounts in place of the server", arguments: ServerKind.allCases)
    func delegation(kind: ServerKind) async throws {
        try await withComponent(kind, delegates: true) { component, romeo, _ in
            let delegation = try #require(component[Delegation.self])
            while try delegation.namespaces(of: JID("xmpp.test")).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try delegation.namespaces(of: JID("xmpp.test")) == ["urn:example:delegated"])
            let own = try #require(await romeo.address).bare
            // Servers pass on what is for the account.
            let answer = try await romeo.request(Question("life"), to: own)
            #expect(answer.text == "answer to life of \(own)")
            await #expect(throws: ClientError.self) { try await romeo.request(Question("no"), to: own) }
        }
    }

    @Test("nobody else can delegate or grant anything", arguments: [ServerKind.prosody012])
    func forged(kind: ServerKind) async throws {
        try await withComponent(kind, delegates: true) { component, romeo, _ in
            let domain = try JID("priv.test")
            var message = Message(to: domain)
            message.payloads.append(try XMLElement(parsing: Self.privilege))
            try await romeo.send(message)
            let own = try #require(await romeo.address)
            let forged = XMLElement(XMLName("delegation", "urn:xmpp:delegation:2")) { writer in
                writer.element(XMLName("forwarded", "urn:xmpp:forward:0")) { writer in
                    var iq = IQ(Question("life"), to: own.bare, id: "1")
                    iq.from = own
                    writer.write(iq)
                }
            }
            let error = await #expect(throws: ClientError.self) {
                _ = try await romeo.request(IQ(type: .set, to: domain, payloads: [forged]))
            }
            #expect(error?.stanzaError?.condition == .forbidden)
            let entity = try #require(component[PrivilegedEntity.self])
            #expect(entity.privileges(at: own) == nil)
        }
    }
}
