import Testing
import XMLStreaming
import XMPPAddress
import XMPPStream

/// A binding of a program: the device names itself, the server asks for a proof and assigns an address.
private struct DeviceBinding: CustomBinding {
    let feature = XMLName("device", "urn:example:device")
    private var isProved = false

    mutating func begin(for account: JID) -> CustomBindingStep {
        .send(element("<device xmlns='urn:example:device' of='\(account)'/>"))
    }

    mutating func received(_ element: XMLElement) -> CustomBindingStep {
        switch element.name.local {
        case "prove":
            isProved = true
            return .send(self.element("<proof xmlns='urn:example:device'/>"))
        case "patience": return .wait
        case "bound":
            guard isProved, let address = try? JID(element.text) else { return .failed("not proved") }
            return .bound(address)
        case "unknown": return .standard
        default: return .failed("no such step")
        }
    }

    private func element(_ text: String) -> XMLElement {
        guard let element = try? XMLElement(parsing: text) else { preconditionFailure("a literal of this test") }
        return element
    }
}

@Suite("Another way of binding")
struct CustomBindingTests {
    private static let offer = """
        <stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><device xmlns='urn:example:device'/>\
        <sm xmlns='urn:xmpp:sm:3'/></stream:features>
        """

    /// A client after authentication, before it gets the features.
    private static func client() -> ScriptedClient {
        ScriptedClient(.scripted { $0.plan = .standard.binding(with: DeviceBinding()) }, at: .finalHeader)
    }

    @Test("S0-36: a program binds in its own way; the rest of the login follows")
    func binds() {
        var client = Self.client()
        let said = client.receive(Self.offer).text
        #expect(said == "<device xmlns='urn:example:device' of='juliet@example.com/balcony'/>")
        let proof = client.receive("<prove xmlns='urn:example:device'/>").text
        #expect(proof == "<proof xmlns='urn:example:device'/>")
        let nothing = client.receive("<patience xmlns='urn:example:device'/>")
        #expect(nothing.isEmpty)
        let actions = client.receive("<bound xmlns='urn:example:device'>juliet@example.com/d1</bound>")
        #expect(actions.progress.contains(.bound(.fixture("juliet@example.com/d1"))))
        #expect(actions.text.contains("<enable xmlns='urn:xmpp:sm:3'"))
        client.receive(ScriptedServer.enabled)
        #expect(client.log.session?.address == .fixture("juliet@example.com/d1"))
        #expect(client.log.session?.isResumable == true)
    }

    @Test("S0-36: without the offer, and when the program gives up its way, RFC 6120 binds")
    func fallsBack() {
        var offered = Self.client()
        offered.receive(Self.offer)
        let fallback = offered.receive("<unknown xmlns='urn:example:device'/>").text
        #expect(fallback.contains("bind-1"))
        offered.receive(ScriptedServer.bound)
        offered.receive(ScriptedServer.enabled)
        #expect(offered.log.session?.address == .juliet)
        var other = Self.client()
        let standard = other.receive(ScriptedServer.features).text
        #expect(standard.contains("bind-1"))
    }

    @Test(
        "S0-36: an address of another account, one without a resource, and a failure end the login",
        arguments: [
            ("<prove xmlns='u'/><bound xmlns='u'>romeo@example.com/d1</bound>", StreamFailure.Code.accountMismatch),
            ("<prove xmlns='u'/><bound xmlns='u'>juliet@example.com</bound>", .bindingRefused),
            ("<bound xmlns='u'>juliet@example.com/d1</bound>", .bindingRefused),
            ("<iq type='result' id='bind-1'/>", .bindingRefused),
        ])
    func refused(text: String, code: StreamFailure.Code) {
        var client = Self.client()
        client.receive(Self.offer)
        client.receive(text)
        #expect(client.failure?.code == code)
        #expect(client.log.session == nil)
    }

    @Test("S0-58: the timeout of the login includes it, and the owner can close meanwhile")
    func timeout() {
        var late = Self.client()
        late.receive(Self.offer)
        late.wait(.seconds(30))
        #expect(late.failure?.code == .loginTimedOut)
        var closed = Self.client()
        closed.receive(Self.offer)
        let ends = closed.stream.close(now: start).ends
        #expect(ends == [StreamEnd(reason: .requested)])
    }

    @Test("a session that is resumed needs no binding, and a plan has one way besides the standard")
    func plan() {
        let plan = NegotiationPlan.standard.binding(with: DeviceBinding()).binding(with: DeviceBinding())
        #expect(plan.features.filter { $0.step == .bindOtherwise }.count == 1)
        let steps = plan.features.map(\.step)
        let positions = [StreamFeature.Step.resume, .bindOtherwise, .bind].map { steps.firstIndex(of: $0) ?? -1 }
        #expect(positions == positions.sorted() && positions.first != -1)
    }
}
