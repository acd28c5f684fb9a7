import AdHocCommands
import MessageFeatures
import Roster
import ServerFixtures
import ServiceDiscovery
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// What the extensions do for the addresses of a component (XEP-0114), on all servers.
@Suite("Extensions of a component", .timeLimit(.minutes(20)))
struct ComponentLiveTests {
    private static let domain = "gateway.test"
    private static let options = ServerOptions {
        $0.componentDomains = [domain, "roster.test", "receipts.test", "commands.test"]
    }

    private static func component(
        _ domain: String, on server: any PrivateServer, _ change: (inout ComponentConfiguration) -> Void
    ) throws -> Component {
        var configuration = ComponentConfiguration(domain: try JID(domain), secret: server.componentSecret)
        configuration.port = server.componentPort
        configuration.loginTimeout = .seconds(120)
        change(&configuration)
        return Component(configuration)
    }

    private static let gateway = DiscoveryInformation.Identity(category: "gateway", type: "test", name: "Geese")
    private static let user = DiscoveryInformation.Identity(category: "client", type: "bot", name: "Goose")

    /// Everybody with a name of at least four letters exists.
    @Sendable private static func describe(_ address: JID, _ requester: JID?) -> AddressDescription? {
        guard let name = address.local else {
            let goose = try? JID("goose@\(domain)")
            return AddressDescription(
                gateway, features: ["urn:example:gateway"],
                items: goose.map { [.init(address: $0, name: "Goose")] } ?? [])
        }
        return name.count < 4 ? nil : AddressDescription(user)
    }

    @Test("service discovery describes each address in its own way", arguments: ServerKind.allCases)
    func discovery(kind: ServerKind) async throws {
        let server = try await kind.shared(Self.options)
        let client = Client(try server.configuration(try await server.newAccount("person")))
        let component = try Self.component(Self.domain, on: server) {
            $0.add { ServiceDiscovery($0, describing: Self.describe) }
        }
        try await component.run { _ in
            try await client.run { session in
                let discovery = try #require(session[ServiceDiscovery.self])
                let service = try await discovery.information(of: try JID(Self.domain))
                #expect(service.identities == [Self.gateway])
                #expect(service.features.contains("urn:example:gateway"))
                #expect(service.features.contains(DiscoveryInformation.name.namespace))
                let items = try await discovery.items(of: try JID(Self.domain)).items
                #expect(items.map(\.address.description) == ["goose@\(Self.domain)"])

                let goose = try await discovery.information(of: items[0].address)
                #expect(goose.identities == [Self.user])
                #expect(goose.features == service.features.subtracting(["urn:example:gateway"]))
                #expect(try await discovery.items(of: items[0].address).items.isEmpty)

                let nobody = try JID("no@\(Self.domain)")
                await #expect(throws: ClientError.self) { try await discovery.information(of: nobody) }
            }
        }
    }

    @Test("addresses accept, reject, cancel and announce themselves again", arguments: ServerKind.allCases)
    func subscriptions(kind: ServerKind) async throws {
        let server = try await kind.shared(Self.options)
        let account = try await server.newAccount("person")
        let person = try JID(account.address)
        let (goose, swan) = (try JID("goose@roster.test"), try JID("swan@roster.test"))
        var configuration = try server.configuration(account)
        configuration.extensions = [SessionExtensionFactory { Roster($0) }]
        let client = Client(configuration)
        let stored = try await client.run { session -> [ComponentSubscription] in
            let roster = try #require(session[Roster.self])
            let inbox = session.events(.presences)
            try await session.send(Presence())
            return try await Self.component("roster.test", on: server) {
                $0.add { ServiceDiscovery($0, describing: Self.describe) }
                $0.add { ComponentRoster($0, presence: Presence(status: "honk")) }
            }.run { component in
                let own = try #require(component[ComponentRoster.self])
                var changes = own.changes().makeAsyncIterator()

                _ = try await roster.add(goose, name: "Goose")
                let request = await changes.next()
                #expect(request == ComponentSubscription(address: goose, contact: person, isRequested: true))
                try await own.accept(person, at: goose)
                #expect(await changes.next()?.state == .from)
                let seen = try await inbox.first { $0.from?.bare == goose && $0.type == .available }
                #expect(seen.status == "honk")
                // The announced features are those of this address.
                #expect(seen.payloads.contains(EntityCapabilities.name))

                _ = try await roster.add(swan, name: "Swan")
                #expect(await changes.next()?.isRequested == true)
                try await own.reject(person, at: swan)
                #expect(await changes.next()?.isWorthKeeping == false)
                _ = try await inbox.first { $0.from == swan && $0.type == .unsubscribed }

                try await own.setPresence(Presence(show: .away), of: goose)
                _ = try await inbox.first { $0.from?.bare == goose && $0.show == .away }

                // The other direction.
                try await own.subscribe(goose, to: person)
                #expect(await changes.next()?.isPending == true)
                _ = try await inbox.first { $0.from == goose && $0.type == .subscribe }
                try await roster.accept(goose)
                let both = await changes.next()
                #expect(both?.state == .both && both?.isPending == false)
                let kept = await own.subscriptions
                #expect(kept == [ComponentSubscription(address: goose, contact: person, state: .both)])
                try await own.signOff()
                _ = try await inbox.first { $0.from?.bare == goose && $0.type == .unavailable }
                return kept
            }
        }

        // The next process knows the subscriptions, answers the probe of the server, and loses one.
        try await Self.component("roster.test", on: server) {
            $0.add { ComponentRoster($0, subscriptions: stored) }
        }.run { component in
            let own = try #require(component[ComponentRoster.self])
            var changes = own.changes().makeAsyncIterator()
            try await client.run { session in
                let inbox = session.events(.presences)
                try await session.send(Presence())
                _ = try await inbox.first { $0.from?.bare == goose && $0.type == .available }
                try await session.send(Presence(type: .unsubscribe, to: goose))
                #expect(await changes.next()?.state == .to)
                try await session.send(Presence(type: .unsubscribed, to: goose))
                #expect(await changes.next()?.isWorthKeeping == false)
                #expect(await own.subscriptions.isEmpty)
            }
        }
    }

    @Test("receipts are for and from the address of the message", arguments: ServerKind.allCases)
    func receipts(kind: ServerKind) async throws {
        let server = try await kind.shared(Self.options)
        let client = Client(try server.configuration(try await server.newAccount("person")))
        try await Self.component("receipts.test", on: server) {
            $0.add { _ in DeliveryReceipts() }
        }.run { component in
            try await client.run { session in
                let goose = try JID("goose@receipts.test")
                try await session.send(.chat(to: goose, body: "Honk")).reached(.delivered)
                var answer = Message.chat(to: try #require(await session.address), body: "Honk")
                answer.from = goose
                try await component.send(answer).reached(.delivered)
            }
        }
    }

    @Test(
        "each address lists the commands, and a command knows which address was asked", arguments: ServerKind.allCases)
    func commands(kind: ServerKind) async throws {
        let server = try await kind.shared(Self.options)
        var configuration = try server.configuration(try await server.newAccount("person"))
        configuration.add { AdHocCommands($0) }
        let client = Client(configuration)
        try await Self.component("commands.test", on: server) {
            $0.add { ServiceDiscovery($0, describing: Self.describe) }
            $0.add {
                let command = Command(node: "who", name: "Who?") { .completed($0.address?.description ?? "nobody") }
                return AdHocCommands($0, offering: [command])
            }
        }.run { _ in
            try await client.run { session in
                let commands = try #require(session[AdHocCommands.self])
                for address in ["goose@commands.test", "swan@commands.test/pond", "commands.test"] {
                    let responder = try JID(address)
                    #expect(try await commands.commands(of: responder).map(\.name) == ["Who?"])
                    #expect(try await commands.start("who", at: responder).notes.map(\.text) == [address])
                }
            }
        }
    }

    @Test("with the policy for bots every request is accepted", arguments: [ServerKind.prosody13, .ejabberd2412])
    func acceptAll(kind: ServerKind) async throws {
        let server = try await kind.start(Self.options)
        var configuration = try server.configuration(try await server.newAccount("person"))
        configuration.extensions = [SessionExtensionFactory { Roster($0) }]
        let client = Client(configuration)
        try await Self.component(Self.domain, on: server) {
            $0.add { ComponentRoster($0, policy: .acceptAll) }
        }.run { component in
            try await client.run { session in
                let roster = try #require(session[Roster.self])
                let inbox = session.events(.presences)
                try await session.send(Presence())
                for number in 1...3 {
                    let address = try JID("bot\(number)@\(Self.domain)")
                    _ = try await roster.add(address)
                    _ = try await inbox.first { $0.from?.bare == address && $0.type == .available }
                }
                let own = try #require(component[ComponentRoster.self])
                #expect(await own.subscriptions.map(\.state) == [.from, .from, .from])
            }
        }
    }
}
