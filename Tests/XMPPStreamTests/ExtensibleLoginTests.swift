import SASLMechanisms
import ServerSide
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

extension UserAgent {
    static let kitchen = UserAgent(
        id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Hongyan", device: "Kitchen")
}

extension ClientStreamConfiguration {
    /// Without a resource, so that it can be bound together with the login.
    static func extensible(
        _ change: (inout ClientStreamConfiguration) -> Void = { _ in }
    ) -> ClientStreamConfiguration {
        .juliet {
            $0.address = .fixture("juliet@example.com")
            $0.userAgent = .kitchen
            $0.bindTag = "Hongyan"
            $0.plan = .forArchiveReaders
            change(&$0)
        }
    }
}

extension ServerStreamConfiguration {
    static func extensible(
        _ change: (inout ServerStreamConfiguration) -> Void = { _ in }
    ) -> ServerStreamConfiguration {
        .example {
            $0.supported = ServerStreamConfiguration.extensible
            $0.offered = ServerStreamConfiguration.extensible
            $0.channelBindingTypes = ["tls-exporter"]
            $0.mechanisms = [.scramSHA256, .scramSHA256Plus]
            change(&$0)
        }
    }
}

extension [StreamAction] {
    var tokens: [FASTToken] {
        compactMap { if case .tokenReceived(let token) = $0 { token } else { nil } }
    }
}

@Suite("Login by XEP-0388")
struct ExtensibleLoginTests {
    @Test("Login, binding and stream management in one exchange", arguments: Delivery.allCases)
    func everythingInline(delivery: Delivery) throws {
        let carbons = BindRequest(
            feature: "urn:xmpp:carbons:2", element: try XMLElement(parsing: "<enable xmlns='urn:xmpp:carbons:2'/>"))
        let unknown = BindRequest(
            feature: "urn:example:x", element: try XMLElement(parsing: "<x xmlns='urn:example:x'/>"))
        let pair = StreamPair(
            .extensible { $0.bindRequests = [carbons, unknown] }, .extensible(), delivery: delivery)
        let session = try #require(pair.log.session, "\(pair.transcript)")
        #expect(session.usesSASL2 && session.isBoundInline && !session.usesFAST)
        #expect(session.isManaged && session.isResumable && !session.isResumed)
        #expect(session.mechanism == "SCRAM-SHA-256-PLUS")
        #expect(session.address.resource?.hasPrefix("Hongyan/") == true)
        #expect(session.inlineFeatures == ["urn:xmpp:carbons:2"])
        #expect(pair.log.text.contains("<enable xmlns='urn:xmpp:carbons:2'/>"))
        #expect(!pair.log.text.contains("urn:example:x"))
        #expect(pair.log.text.contains("<software>Hongyan</software><device>Kitchen</device>"))
        #expect(!pair.log.text.contains("<iq"))
        #expect(
            pair.log.progress.suffix(4) == [
                .authenticating(mechanism: "SCRAM-SHA-256-PLUS"), .authenticated, .binding(resource: nil),
                .bound(session.address),
            ])
    }

    @Test("A login with a password takes at most five round trips, with a token three, with direct TLS two")
    func roundTrips() throws {
        let first = StreamPair(.extensible(), .extensible())
        #expect(first.log.session != nil)
        #expect(first.roundTrips == 5)
        let token = try #require(first.log.tokens.first)
        let second = StreamPair(.extensible { $0.fastToken = token }, .extensible(), directory: first.directory)
        #expect(second.log.session?.usesFAST == true, "\(second.transcript)")
        #expect(second.roundTrips == 3)
        let direct = StreamPair(
            .extensible {
                $0.fastToken = token
                $0.tls = .directTLS
            }, .extensible { $0.encryption = .direct(.tls13) }, directory: second.directory)
        #expect(direct.log.session?.usesFAST == true, "\(direct.transcript)")
        // The handshake of TCP is not visible here: it is the other of the two round trips.
        #expect(direct.roundTrips == 1)
    }

    @Test("A token is requested, used, renewed and stored together with the inline features")
    func tokens() throws {
        let first = StreamPair(.extensible(), .extensible())
        let token = try #require(first.log.tokens.first)
        #expect(token.mechanism.rawValue == "HT-SHA-256-EXPR")
        #expect(token.expiry == "2036-01-01T00:00:00Z")
        #expect(token.offer.binds && token.offer.resumes)
        #expect(!"\(token)".contains(token.token))
        let second = StreamPair(.extensible { $0.fastToken = token }, .extensible(), directory: first.directory)
        #expect(second.log.session?.mechanism == "HT-SHA-256-EXPR")
        #expect(second.log.session?.isBoundInline == true)
        let renewed = try #require(second.log.tokens.first)
        #expect(renewed.token != token.token)
        #expect(renewed.mechanism == token.mechanism)
    }

    @Test("A rejected token is removed and the password is used on the same connection")
    func refusedToken() throws {
        let first = StreamPair(.extensible(), .extensible())
        let token = try #require(first.log.tokens.first)
        var directory = first.directory
        directory.revokeTokens(of: "juliet")
        let second = StreamPair(.extensible { $0.fastToken = token }, .extensible(), directory: directory)
        #expect(second.log.contains(.tokenRejected))
        #expect(second.log.session?.mechanism == "SCRAM-SHA-256-PLUS", "\(second.transcript)")
        #expect(second.log.session?.usesFAST == false)
        #expect(second.log.tokens.count == 1)
        #expect(second.log.ends.isEmpty)
    }

    @Test("Without a password a rejected token is reported as the server's refusal")
    func refusedTokenAlone() throws {
        let token = FASTToken(mechanism: .hashedToken(.sha256, binding: .tlsExporter), token: "x")
        let pair = StreamPair(
            .extensible {
                $0.purpose = .authenticate(SASLCredentials(username: "juliet", password: nil))
                $0.fastToken = token
            }, .extensible())
        #expect(pair.log.contains(.tokenRejected))
        #expect(pair.log.ends.first?.failure?.code == .credentialsRejected)
    }

    @Test("A server that lost all of it: the token's login is refused and the login of RFC 6120 is used")
    func forgetfulServer() throws {
        let first = StreamPair(.extensible(), .extensible())
        let token = try #require(first.log.tokens.first)
        // The test server ends a stream that begins with unknown elements, so the features must be first.
        var client = ScriptedClient(.extensible { $0.fastToken = token }, at: .secured)
        client.receive(ScriptedServer.header + ScriptedServer.mechanisms.replacing("PLAIN", with: "SCRAM-SHA-1"))
        let actions = client.receive(
            "<failure xmlns='urn:xmpp:sasl:2'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>")
        #expect(actions.first == .tokenRejected)
        #expect(actions.text.contains("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='SCRAM-SHA-1'"))
    }

    @Test("A token that this connection cannot bind is neither used nor removed")
    func unusableToken() throws {
        let token = FASTToken(mechanism: .hashedToken(.sha256, binding: .tlsUnique), token: "x")
        let pair = StreamPair(.extensible { $0.fastToken = token }, .extensible())
        #expect(pair.log.session?.mechanism == "SCRAM-SHA-256-PLUS")
        #expect(!pair.log.contains(.tokenRejected))
    }

    @Test("Without a user agent no token is requested or used")
    func noUserAgent() throws {
        let token = FASTToken(mechanism: .hashedToken(.sha256, binding: .tlsExporter), token: "x")
        let pair = StreamPair(
            .extensible {
                $0.userAgent = nil
                $0.fastToken = token
            }, .extensible())
        #expect(pair.log.session?.usesFAST == false)
        #expect(pair.log.tokens.isEmpty)
        #expect(!pair.log.text.contains("urn:xmpp:fast:0"))
    }

    @Test("Resumption is sent together with the login, with a password and with a token", arguments: [false, true])
    func resumes(usesToken: Bool) throws {
        var first = StreamPair(.extensible(), .extensible())
        let token = try #require(first.log.tokens.first)
        first.send(Message.to("romeo@example.com", "O", id: "1"), token: StanzaToken(1))
        first.perform(
            first.client.send(Message.to("romeo@example.com", "O", id: "2"), token: StanzaToken(2), now: start))
        first.cut()
        let resumption = try #require(first.log.ends.first?.resumption)
        #expect(resumption.unacknowledged.map(\.token) == [StanzaToken(2)])
        let second = StreamPair(
            .extensible {
                $0.resumption = resumption
                $0.fastToken = usesToken ? token : nil
            }, .extensible(), directory: first.directory)
        let session = try #require(second.log.session, "\(second.transcript)")
        #expect(session.isResumed && session.shortcuts.resumesInline)
        #expect(session.usesFAST == usesToken)
        #expect(second.roundTrips - (usesToken ? 0 : 2) == 4)  // and one for the acknowledgement of what was replayed
        #expect(second.log.acknowledged == [StanzaToken(2)])
        #expect(second.serverLog.stanzas.map { $0["id"] } == ["2"])
        #expect(second.log.elements.isEmpty)
    }

    @Test("A refused resumption binds a new session in the same exchange, and lost stanzas are returned")
    func resumptionRefused() throws {
        var first = StreamPair(.extensible(), .extensible())
        first.perform(
            first.client.send(Message.to("romeo@example.com", "O", id: "1"), token: StanzaToken(1), now: start))
        first.cut()
        let resumption = try #require(first.log.ends.first?.resumption)
        var directory = first.directory
        directory.expire(resumption.id)
        let second = StreamPair(.extensible { $0.resumption = resumption }, .extensible(), directory: directory)
        let session = try #require(second.log.session, "\(second.transcript)")
        #expect(!session.isResumed && session.isBoundInline && session.isManaged)
        #expect(session.unacknowledged.map(\.token) == [StanzaToken(1)])
        #expect(second.roundTrips == 5)
    }

    @Test("A resumption that the server does not answer has a separate deadline", arguments: [false, true])
    func frozenServer(usesToken: Bool) throws {
        let resumption = ResumptionState(
            id: "sm", address: .fixture("juliet@example.com/r"), handledCount: 0, acknowledgedCount: 0,
            unacknowledged: [])
        var offer = InlineOffer()
        offer.resumes = true
        let token = FASTToken(mechanism: .hashedToken(.sha256, binding: .tlsExporter), token: "x", offer: offer)
        var client = ScriptedClient(
            .extensible {
                $0.resumption = resumption
                if usesToken { $0.fastToken = token }
            }, at: .secured)
        if !usesToken { client.receive(ScriptedServer.header + Self.features) }
        #expect(client.log.text.contains("previd='sm'"))
        #expect(client.wait(.milliseconds(4999)).isEmpty)
        let actions = client.wait(.milliseconds(1))
        #expect(actions.ends.first?.failure?.code == .resumptionTimedOut)
        #expect(actions.ends.first?.resumption == nil)
    }

    static let features = """
        <stream:features><authentication xmlns='urn:xmpp:sasl:2'><mechanism>SCRAM-SHA-1</mechanism><inline>\
        <sm xmlns='urn:xmpp:sm:3'/><bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind>\
        </inline></authentication></stream:features>
        """

    @Test("A resource that is requested by name is bound by RFC 6120")
    func namedResource() {
        let pair = StreamPair(.extensible { $0.address = .juliet }, .extensible())
        #expect(pair.log.session?.address == .juliet, "\(pair.transcript)")
        #expect(pair.log.session?.usesSASL2 == true)
        #expect(pair.log.session?.isBoundInline == false)
        #expect(pair.log.session?.isManaged == true)
    }

    @Test(
        "Each feature can be missing on the server",
        arguments: [StreamFeature.fast, .inlineResumption, .bind2, .sasl2, .management])
    func partsMissing(feature: StreamFeature) {
        let without = NegotiationPlan(ServerStreamConfiguration.extensible.features.filter { $0 != feature })
        let pair = StreamPair(
            .extensible(),
            .extensible {
                $0.supported = without
                $0.offered = without
                if feature == .management { $0.inlineBindFeatures = [] }
            })
        #expect(pair.log.session != nil, "\(pair.transcript)")
        #expect(pair.log.session?.usesSASL2 == (feature != .sasl2))
        #expect(pair.log.session?.isManaged == (feature != .management))
    }

    @Test(
        "Each feature can be removed from the plan",
        arguments: [StreamFeature.fast, .inlineResumption, .bind2, .sasl2])
    func partsUnwanted(feature: StreamFeature) {
        let pair = StreamPair(
            .extensible {
                $0.plan = NegotiationPlan(NegotiationPlan.forArchiveReaders.features.filter { $0 != feature })
            }, .extensible())
        #expect(pair.log.session != nil, "\(pair.transcript)")
        #expect(pair.log.session?.isBoundInline == (feature != .bind2 && feature != .sasl2))
        #expect(pair.log.tokens.isEmpty == (feature == .fast || feature == .sasl2))
    }

    @Test("Bind 2 is for programs that read the archive, because servers discard the offline messages")
    func offlineMessages() {
        let pair = StreamPair(.extensible { $0.plan = .standard }, .extensible())
        #expect(pair.log.session?.usesSASL2 == true)
        #expect(pair.log.session?.isManaged == true)
        #expect(!pair.log.text.contains("urn:xmpp:bind:0"))
    }

    @Test("A wrong password is an error with a message")
    func wrongPassword() {
        let pair = StreamPair(
            .extensible { $0.purpose = .authenticate(SASLCredentials(username: "juliet", password: "wrong")) },
            .extensible())
        #expect(pair.log.ends.first?.failure?.code == .credentialsRejected)
    }

    @Test("A refused mechanism is followed by the next one, and the last one by the server's refusal")
    func nextMechanism() {
        var client = ScriptedClient(.extensible { $0.userAgent = nil }, at: .secured)
        let features = Self.features.replacing(
            "<mechanism>SCRAM-SHA-1</mechanism>",
            with: "<mechanism>SCRAM-SHA-256</mechanism><mechanism>SCRAM-SHA-1</mechanism>")
        #expect(client.receive(ScriptedServer.header + features).text.contains("mechanism='SCRAM-SHA-256'"))
        let failure =
            "<failure xmlns='urn:xmpp:sasl:2'><mechanism-too-weak xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"
            + "<text>Stronger!</text></failure>"
        let retry = client.receive(failure)
        #expect(retry.text.contains("mechanism='SCRAM-SHA-1'"))
        let last = client.receive(failure).ends.first?.failure
        #expect(last?.code == .authenticationFailed)
        #expect(last?.saslCondition == .mechanismTooWeak)
        #expect(last?.text == "Stronger!")
    }

    @Test("An unknown second factor ends the login with a message")
    func furtherStep() {
        var client = ScriptedClient(.extensible(), at: .secured)
        client.receive(ScriptedServer.header + Self.features)
        let actions = client.receive(
            "<continue xmlns='urn:xmpp:sasl:2'><tasks><task>TOTP-EXAMPLE</task></tasks></continue>")
        #expect(actions.text.contains("<abort xmlns='urn:xmpp:sasl:2'/>"))
        let failure = actions.ends.first?.failure
        #expect(failure?.code == .furtherStepDemanded)
        #expect(failure?.description.contains("TOTP-EXAMPLE") == true)
    }

    @Test(
        "A success without a proof is rejected",
        arguments: [
            "<success xmlns='urn:xmpp:sasl:2'/>",
            "<success xmlns='urn:xmpp:sasl:2'><additional-data>dj1BQUFB</additional-data></success>",
            "<success xmlns='urn:xmpp:sasl:2'><additional-data>§</additional-data></success>",
        ])
    func unprovenSuccess(success: String) {
        var client = ScriptedClient(.extensible(), at: .secured)
        client.receive(ScriptedServer.header + Self.features)
        let actions = client.receive(success)
        #expect(actions.ends.first?.failure != nil)
        #expect(!actions.progress.contains(.authenticated))
        #expect(actions.tokens.isEmpty)
    }

    @Test("Only a random UUID identifies an installation")
    func userAgents() {
        #expect(UserAgent(id: "D4565FA7-4D72-4749-B3D3-740EDBF87770")?.id == "d4565fa7-4d72-4749-b3d3-740edbf87770")
        for text in [
            "", "kitchen", "d4565fa7-4d72-1749-b3d3-740edbf87770", "d4565fa7-4d72-4749-73d3-740edbf87770",
            "d4565fa7-4d72-4749-b3d3-740edbf8777", "g4565fa7-4d72-4749-b3d3-740edbf87770",
        ] {
            #expect(UserAgent(id: text) == nil)
        }
    }
}
