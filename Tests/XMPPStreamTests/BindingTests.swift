import SASLMechanisms
import ServerSide
import Testing
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// RFC 6120 §7.
@Suite("Resource binding")
struct BindingTests {
    /// A directory with a session of the resource `balcony`.
    static func occupied(_ resources: String...) -> ServerDirectory {
        var directory = ServerDirectory.verona
        for resource in resources {
            directory.boundAddresses.insert(JID.fixture("juliet@example.com/\(resource)"))
        }
        return directory
    }

    @Test("S0-37: the server chooses if the resource is in use", arguments: Delivery.allCases)
    func serverChooses(delivery: Delivery) {
        let pair = StreamPair(directory: Self.occupied("balcony"), delivery: delivery)
        let address = pair.log.session?.address
        #expect(address != nil && address != .juliet, "\(pair.transcript)")
        #expect(pair.log.progress.contains(.binding(resource: nil)))
    }

    @Test("S0-37: alternatives in order, then the server's choice")
    func alternatives() {
        let policy = ResourceConflictPolicy.tryAlternatives(["garden", "tomb"])
        let second = StreamPair(.juliet { $0.resourceConflict = policy }, directory: Self.occupied("balcony"))
        #expect(second.log.session?.address.resource == "garden")
        let third = StreamPair(.juliet { $0.resourceConflict = policy }, directory: Self.occupied("balcony", "garden"))
        #expect(third.log.session?.address.resource == "tomb")
        let none = StreamPair(
            .juliet { $0.resourceConflict = policy }, directory: Self.occupied("balcony", "garden", "tomb"))
        #expect(none.log.session?.address.resource?.isEmpty == false)
    }

    @Test("S0-37: the owner is asked", arguments: ["garden", nil])
    func ask(answer: String?) {
        var pair = StreamPair(.juliet { $0.resourceConflict = .ask }, directory: Self.occupied("balcony"))
        #expect(pair.log.contains(.resourceConflict(resource: "balcony")))
        let deadline = pair.client.nextDeadline
        #expect(deadline == nil)
        pair.perform(pair.client.useResource(answer, now: pair.now))
        pair.run()
        let resource = pair.log.session?.address.resource
        #expect(answer == nil ? resource != nil : resource == answer)
    }

    @Test("A conflict can be the end")
    func fail() {
        let pair = StreamPair(.juliet { $0.resourceConflict = .fail }, directory: Self.occupied("balcony"))
        #expect(pair.log.ends.first?.failure?.code == .resourceConflict)
        #expect(pair.log.ends.first?.failure?.category == .conflict)
        #expect(pair.log.ends.first?.failure?.stanzaError?.condition == .conflict)
    }

    @Test("Without a resource the server chooses immediately")
    func noResource() {
        let pair = StreamPair(.juliet { $0.address = .fixture("juliet@example.com") })
        #expect(pair.log.session?.address.resource?.isEmpty == false)
        #expect(!pair.transcript.contains("<resource>"))
    }

    @Test(
        "Another error of the server ends the login with its condition",
        arguments: ["not-allowed", "resource-constraint", "bad-request"])
    func refused(condition: String) {
        var client = ScriptedClient(at: .binding)
        let failure = client.receive(
            "<iq type='error' id='bind-1'><error type='cancel'>"
                + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
        ).ends.first?.failure
        #expect(failure?.code == .bindingRefused)
        #expect(failure?.stanzaError?.condition.rawValue == condition)
    }

    @Test("The address is the one that the server assigned, whatever was requested")
    func serverRenames() {
        var client = ScriptedClient(at: .binding)
        client.receive(ScriptedServer.bound.replacing("balcony", with: "4db06f06"))
        #expect(client.receive(ScriptedServer.enabled).session?.address.resource == "4db06f06")
    }
}
