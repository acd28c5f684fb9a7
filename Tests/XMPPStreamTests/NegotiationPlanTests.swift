import Testing
import XMLStreaming
import XMPPStream

@Suite("Features as data")
struct NegotiationPlanTests {
    static func features(_ text: String) throws -> StreamFeatures {
        StreamFeatures(
            element: try XMLElement(
                parsing: "<features xmlns='http://etherx.jabber.org/streams'>\(text)</features>"))
    }

    @Test("Without an offer the plan is STARTTLS, registration, binding")
    func unoffered() {
        let plan = NegotiationPlan.standard
        #expect(plan.next(offered: .none, standing: [], skipping: [])?.step == .startTLS)
        #expect(plan.next(offered: .none, standing: .secured, skipping: [])?.step == .register)
        #expect(plan.next(offered: .none, standing: .secured, skipping: [.register]) == nil)
        #expect(plan.next(offered: .none, standing: [.secured, .authenticated], skipping: [])?.step == .bind)
        #expect(plan.next(offered: .none, standing: [.secured, .authenticated, .bound], skipping: []) == nil)
    }

    @Test("Martin #4: authentication is impossible without encryption")
    func secureFirst() throws {
        let offered = try Self.features("<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
        #expect(NegotiationPlan.standard.next(offered: offered, standing: [], skipping: [.startTLS]) == nil)
    }

    @Test("Resumption comes before binding, management after it")
    func order() throws {
        let offered = try Self.features("<sm xmlns='urn:xmpp:sm:3'/>")
        let plan = NegotiationPlan.standard
        let authenticated: StreamFeature.Standing = [.secured, .authenticated]
        #expect(plan.next(offered: offered, standing: authenticated, skipping: [])?.step == .resume)
        #expect(plan.next(offered: offered, standing: authenticated, skipping: [.resume])?.step == .bind)
        #expect(plan.next(offered: offered, standing: authenticated.union(.bound), skipping: [])?.step == .manage)
        #expect(
            plan.next(offered: offered, standing: authenticated.union([.bound, .managed]), skipping: []) == nil)
    }

    @Test("Descriptions of features")
    func reading() throws {
        let features = try Self.features(
            """
            <starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>
            <mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>
              <mechanism>SCRAM-SHA-1</mechanism> <mechanism> PLAIN </mechanism><mechanism/><other/>
            </mechanisms>
            <sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'><channel-binding type='tls-exporter'/></sasl-channel-binding>
            <register xmlns='http://jabber.org/features/iq-register'/>
            <session xmlns='urn:ietf:params:xml:ns:xmpp-session'><optional/></session>
            """)
        #expect(features.offersStartTLS)
        #expect(features.requiresStartTLS)
        #expect(features.mechanisms == ["SCRAM-SHA-1", "PLAIN"])
        #expect(features.channelBindingTypes == ["tls-exporter"])
        #expect(features.offersRegistration)
        #expect(!features.requiresSession)
        #expect(!features.offersStreamManagement)
        #expect(!features.offersBinding)
        #expect(StreamFeatures.none.mechanisms == nil)
        #expect(StreamFeatures.none.channelBindingTypes == nil)
        #expect(try Self.features("<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>").requiresSession)
    }
}
