import DataForms
import MessagePayloads
import ServerFixtures
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient

@Suite("External services and contact addresses of a server (XEP-0215, XEP-0157)", .timeLimit(.minutes(10)))
struct ServerInformationTests {
    private static func services(_ content: String, _ attributes: String = "") -> String {
        "<services xmlns='urn:xmpp:extdisco:2'\(attributes)>\(content)</services>"
    }

    @Test("the services of the specification")
    func externalServices() throws {
        let answer = try ExternalServicesRequest.Response(
            payload: XMLElement(
                parsing: Self.services(
                    "<service host='stun.shakespeare.lit' port='9998' transport='udp' type='stun'/>"
                        + "<service host='relay.shakespeare.lit' password='jj929jkj5sadjfj93v3n' port='9999' transport='udp' "
                        + "type='turn' username='nb78932lkjlskjfdb7g8' expires='2026-11-26T12:00:00Z'/>"
                        + "<service port='1' type='stun'/><service host='a' type='stun' port='65536'/>"
                        + "<service action='delete' host='192.0.2.1' port='8889' type='turn'/>"
                        + "<service host='192.0.2.1' type='turn' restricted='true'/>")))
        #expect(
            answer.services == [
                ExternalService(host: "stun.shakespeare.lit", type: "stun", port: 9998, transport: "udp"),
                ExternalService(
                    host: "relay.shakespeare.lit", type: "turn", port: 9999, transport: "udp",
                    credential: .init(userName: "nb78932lkjlskjfdb7g8", password: "jj929jkj5sadjfj93v3n"),
                    expires: Timestamp("2026-11-26T12:00:00Z")),
                ExternalService(host: "192.0.2.1", type: "turn", isRestricted: true),
            ])
        try checkRoundTrip(ExternalServicesRequest.self, Self.services(""))
        try checkRoundTrip(ExternalServicesRequest.self, Self.services("", " type='turn'"))
        try checkRoundTrip(
            ExternalCredentialsRequest.self,
            "<credentials xmlns='urn:xmpp:extdisco:2'><service host='turn.shakespeare.lit' type='turn'/></credentials>")
    }

    @Test("the contact addresses of the specification; what is no URI is left out")
    func contactAddresses() throws {
        func field(_ name: String, _ values: String...) -> DataFormField { DataFormField(name: name, values: values) }
        let form = DataForm(
            kind: .result,
            fields: [
                .init(name: "FORM_TYPE", kind: .hidden, values: ["http://jabber.org/network/serverinfo"]),
                field("abuse-addresses", "mailto:abuse@shakespeare.lit", "xmpp:abuse@shakespeare.lit"),
                field("admin-addresses", "mailto:xmpp@shakespeare.lit", "xmpp:admins@shakespeare.lit", "the boss"),
                field("security-addresses", "xmpp:security@shakespeare.lit"),
                field("status-addresses", "https://status.shakespeare.lit"),
                field("support-addresses", String(repeating: "x", count: 2000) + ":"),
            ])
        let addresses = DiscoveryInformation(forms: [form]).contactAddresses
        #expect(addresses.abuse == ["mailto:abuse@shakespeare.lit", "xmpp:abuse@shakespeare.lit"])
        #expect(addresses.administrators == ["mailto:xmpp@shakespeare.lit", "xmpp:admins@shakespeare.lit"])
        #expect(addresses.security == ["xmpp:security@shakespeare.lit"])
        #expect(addresses.status == ["https://status.shakespeare.lit"])
        #expect(addresses.support.isEmpty && addresses.sales.isEmpty && addresses.feedback.isEmpty)
        #expect(DiscoveryInformation().contactAddresses.isEmpty)
    }

    private static func options(_ kind: ServerKind) -> ServerOptions {
        ServerOptions {
            if kind.isProsody {
                $0.addedModules = ["external_services", "server_contact_info"]
                $0.configurationLines = [
                    "external_services = { { type = \"turn\", transport = \"udp\", host = \"turn.xmpp.test\", "
                        + "port = 3478, secret = \"secret\" } }",
                    "contact_info = { admin = { \"mailto:admin@xmpp.test\" }; abuse = { \"xmpp:abuse@xmpp.test\" } }",
                ]
            } else {
                $0.moduleOptions = [
                    "mod_stun_disco": """
                    { secret: "secret", services: [ { host: "192.0.2.7", port: 3478, type: turn, transport: udp, \
                    restricted: true } ] }
                    """,
                    "mod_disco": """
                    { server_info: [ { modules: all, name: "admin-addresses", urls: [ "mailto:admin@xmpp.test" ] }, \
                    { modules: all, name: "abuse-addresses", urls: [ "xmpp:abuse@xmpp.test" ] } ] }
                    """,
                ]
            }
        }
    }

    @Test("servers recommend a relay with credentials, and say who runs them", arguments: ServerKind.allCases)
    func live(kind: ServerKind) async throws {
        let server = try await kind.shared(Self.options(kind))
        let client = Client(try server.configuration(try await server.newAccount("romeo")))
        try await client.run { session in
            let discovery = try #require(session[ServiceDiscovery.self])
            let relays = try await discovery.externalServices(type: "turn")
            let relay = try #require(relays.first)
            #expect(relay.port == 3478)
            #expect(relay.transport == "udp")
            if relay.credential == nil {
                let credentials = try await discovery.credentials(for: relay)
                #expect(credentials.first?.credential != nil)
            }
            let own = try #require(await session.address).domainJID
            let addresses = try await discovery.information(of: own).contactAddresses
            #expect(addresses.administrators == ["mailto:admin@xmpp.test"])
            #expect(addresses.abuse == ["xmpp:abuse@xmpp.test"])
        }
    }

    @Test("a server without such a list recommends nothing", arguments: ServerKind.allCases)
    func nothing(kind: ServerKind) async throws {
        let server = try await kind.shared()
        try await Client(try server.configuration(try await server.newAccount("romeo"))).run { session in
            let discovery = try #require(session[ServiceDiscovery.self])
            let services = try await discovery.externalServices()
            #expect(services.isEmpty)
        }
    }
}
