import SASLMechanisms
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@Suite("Login, client with server")
struct LoginTests {
    @Test("S0-69, S3-31: STARTTLS, SCRAM, binding and stream management", arguments: Delivery.allCases)
    func startTLS(delivery: Delivery) throws {
        let pair = StreamPair(delivery: delivery)
        let session = try #require(pair.log.session, "\(pair.transcript)")
        #expect(session.address == .juliet)
        #expect(!session.isResumed)
        #expect(session.isManaged)
        #expect(session.isResumable)
        #expect(session.tls == .tls13)
        #expect(session.mechanism == "SCRAM-SHA-256")
        #expect(pair.serverLog.contains(.bound(.juliet)))
        let isEstablished = pair.client.isEstablished
        #expect(isEstablished)
    }

    @Test("Direct TLS needs no STARTTLS", arguments: Delivery.allCases)
    func directTLS(delivery: Delivery) throws {
        let pair = StreamPair(
            .juliet { $0.tls = .directTLS }, .example { $0.encryption = .direct(.tls13) }, delivery: delivery)
        #expect(pair.log.session?.tls == .tls13, "\(pair.transcript)")
        #expect(!pair.transcript.contains("starttls"))
    }

    @Test("Direct TLS: the handshake is requested before the first byte")
    func directTLSByTheMachine() {
        var client = ClientStream(configuration: .juliet { $0.tls = .directTLS })
        #expect(client.transportConnected(now: start) == [.progress(.connected), .progress(.securing), .startTLS])
        #expect(client.tlsEstablished(.tls13, now: start).text.contains("<stream:stream"))
    }

    static let mechanisms: [SASLMechanismName] = [
        .scramSHA1, .scramSHA256, .scramSHA512, .scramSHA1Plus, .scramSHA256Plus, .scramSHA512Plus, .plain,
    ]

    @Test("Each mechanism", arguments: mechanisms, Delivery.allCases)
    func mechanism(mechanism: SASLMechanismName, delivery: Delivery) throws {
        let pair = StreamPair(
            .juliet { $0.mechanisms = SASLPolicy(allowedMechanisms: SASLPolicy.all) },
            .example {
                $0.mechanisms = [mechanism]
                $0.channelBindingTypes = ["tls-exporter"]
            },
            delivery: delivery)
        #expect(pair.log.session?.mechanism == mechanism.rawValue, "\(pair.transcript)")
    }

    @Test("ANONYMOUS: the server creates the address")
    func anonymous() throws {
        let pair = StreamPair(
            .juliet(purpose: .authenticate(.anonymous)), .example { $0.mechanisms = [.anonymous] })
        let session = try #require(pair.log.session, "\(pair.transcript)")
        #expect(session.address.local?.hasPrefix("anonymous") == true)
    }

    @Test("Plain text only if it is explicitly allowed")
    func plaintext() {
        let pair = StreamPair(
            .juliet { $0.tls = .plaintextAllowedForTestsOnly }, .example { $0.encryption = .none })
        #expect(pair.log.session != nil)
        #expect(pair.log.session?.tls == nil)
    }

    @Test("STARTTLS is offered with the header or after it", arguments: [true, false])
    func pipelining(pipelines: Bool) {
        let pair = StreamPair(.juliet { $0.pipelinesStartTLS = pipelines })
        #expect(pair.log.session != nil, "\(pair.transcript)")
    }

    @Test("Binding is offered with the header or after it", arguments: [true, false], Delivery.allCases)
    func pipelinedBinding(pipelines: Bool, delivery: Delivery) {
        let pair = StreamPair(.juliet { $0.pipelinesBinding = pipelines }, delivery: delivery)
        #expect(pair.log.session?.address == .juliet, "\(pair.transcript)")
        #expect(pair.log.session?.isResumable == true)
        #expect(pair.log.progress.filter { $0 == .binding(resource: "balcony") }.count == 1)
        let occupied = StreamPair(
            .juliet { $0.pipelinesBinding = pipelines }, directory: BindingTests.occupied("balcony"), delivery: delivery
        )
        #expect(occupied.log.session != nil, "\(occupied.transcript)")
    }

    @Test("S0-25…S0-35: progress is reported in order")
    func progress() {
        let pair = StreamPair()
        let features = pair.log.progress.compactMap {
            if case .opened(let features) = $0 { features } else { nil }
        }
        #expect(features.count == 1)
        #expect(
            pair.log.progress.filter { if case .opened = $0 { false } else { true } } == [
                .willConnect, .connected, .negotiating, .securing, .secured(.tls13), .negotiating,
                .authenticating(mechanism: "SCRAM-SHA-256"), .authenticated, .binding(resource: "balcony"),
                .bound(.juliet),
            ])
    }

    @Test("The session of RFC 3921 is only started if it is not optional", arguments: [true, false])
    func legacySession(isRequired: Bool) {
        let pair = StreamPair(
            .juliet(),
            .example {
                $0.offered = NegotiationPlan([.startTLS, .sasl, .binding, .session, .management])
                $0.requiresSession = isRequired
            })
        #expect(pair.log.session != nil, "\(pair.transcript)")
        #expect(pair.transcript.contains("session-1") == isRequired)
    }

    @Test("S0-77: a wrong password is an authentication failure with the server's condition")
    func wrongPassword() {
        let pair = StreamPair(.juliet(purpose: .authenticate(SASLCredentials(username: "juliet", password: "wrong"))))
        let failure = pair.log.ends.first?.failure
        #expect(failure?.code == .credentialsRejected)
        #expect(failure?.category == .authentication)
        #expect(failure?.saslCondition == .notAuthorized)
        #expect(pair.log.ends.count == 1)
    }
}
