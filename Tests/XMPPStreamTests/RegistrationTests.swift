import SASLMechanisms
import ServerSide
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// XEP-0077 §3.1: accounts are created before authentication.
@Suite("In-band registration")
struct RegistrationTests {
    static func form(_ username: String, _ password: String, id: String = "reg2") -> IQ {
        IQ(
            type: .set, id: id,
            payload: XMLElement(XMLName("query", StreamNamespace.registration)) { writer in
                writer.element(XMLName("username", StreamNamespace.registration), text: username)
                writer.element(XMLName("password", StreamNamespace.registration), text: password)
            })
    }

    static let fields = IQ(
        type: .get, id: "reg1", payload: XMLElement(XMLName("query", StreamNamespace.registration)))

    static func pair(
        _ server: ServerStreamConfiguration = .example(), delivery: Delivery = .whole
    ) -> StreamPair {
        StreamPair(
            .juliet(purpose: .register), server, directory: ServerDirectory(passwords: ["romeo": "x"]),
            delivery: delivery)
    }

    @Test("S0-78, S0-32: register and log in on the same stream", arguments: Delivery.allCases)
    func register(delivery: Delivery) throws {
        var pair = Self.pair(delivery: delivery)
        let features = pair.log.compactMap { if case .readyToRegister(let features) = $0 { features } else { nil } }
        #expect(features.first?.offersRegistration == true)
        pair.perform(pair.client.sendRegistration(Self.fields, now: pair.now))
        pair.run()
        #expect(pair.log.stanzas.count == 1)
        pair.perform(pair.client.sendRegistration(Self.form("juliet", "r0m30"), now: pair.now))
        pair.run()
        #expect(pair.serverLog.contains(.registered(username: "juliet")))
        let answer = try #require(pair.log.stanzas.last)
        #expect(try IQ(from: answer).type == .result)

        pair.perform(
            pair.client.authenticate(with: SASLCredentials(username: "juliet", password: "r0m30"), now: pair.now))
        pair.run()
        #expect(pair.log.session?.address == .juliet, "\(pair.transcript)")
        // Stanzas before stream management do not disturb its counters.
        pair.serverSend(Message.to("juliet@example.com", "one"), token: StanzaToken(1))
        #expect(pair.serverLog.acknowledged == [StanzaToken(1)])
    }

    @Test("S0-33, W-12: a refusal contains the server's error")
    func conflict() throws {
        var pair = Self.pair()
        pair.perform(pair.client.sendRegistration(Self.form("romeo", "again"), now: pair.now))
        pair.run()
        let answer = try #require(pair.log.stanzas.last)
        #expect(try IQ(from: answer).error?.condition == .conflict)
        // The stream can be used for another attempt.
        pair.perform(pair.client.sendRegistration(Self.form("juliet", "r0m30"), now: pair.now))
        pair.run()
        #expect(pair.serverLog.contains(.registered(username: "juliet")))
    }

    @Test("A server without registration does not list it in its features")
    func notOffered() {
        let pair = Self.pair(.example { $0.offered = NegotiationPlan([.startTLS, .sasl, .binding]) })
        let features = pair.log.compactMap { if case .readyToRegister(let features) = $0 { features } else { nil } }
        #expect(features.map(\.offersRegistration) == [false])
    }

    @Test("S0-70: no authentication before it is requested, and no account name in the header")
    func purpose() {
        let pair = Self.pair()
        #expect(!pair.log.text.contains("<auth"))
        #expect(!pair.log.text.contains("from="))
        #expect(pair.log.session == nil)
    }

    @Test("The user has unlimited time for the form; the login afterwards has a deadline")
    func deadlines() {
        var pair = Self.pair()
        let none = pair.client.nextDeadline
        #expect(none == nil)
        pair.wait(.seconds(600))
        #expect(pair.log.ends.isEmpty)
        _ = pair.client.authenticate(with: .juliet, now: pair.now)
        let deadline = pair.client.nextDeadline
        #expect(deadline == pair.now.advanced(by: .seconds(30)))
    }

    @Test("Close without logging in")
    func close() {
        var pair = Self.pair()
        pair.perform(pair.client.close(now: pair.now))
        #expect(pair.log.ends == [StreamEnd(reason: .requested)])
    }

    @Test(
        "Before authentication only responses are delivered",
        arguments: ["<message/>", "<presence/>", "<iq type='set' id='x'><query xmlns='jabber:iq:roster'/></iq>"])
    func otherStanzas(stanza: String) {
        var client = ScriptedClient(.juliet(purpose: .register), at: .authenticating)
        let actions = client.receive(stanza)
        #expect(actions.stanzas.isEmpty)
        #expect(actions.ends.first?.failure?.code == .unexpectedElement)
    }
}
