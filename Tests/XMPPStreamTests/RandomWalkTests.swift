import Foundation
import SASLMechanisms
import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// SplitMix64: the same walk for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Any event in any order that an owner can cause: the invariants of the machine hold.
@Suite("Random walk")
struct RandomWalkTests {
    /// The invariants of a connection, checked after each event.
    struct Invariants {
        var sent: Set<StanzaToken> = []
        private var isSecured = false
        private var isHandshaking = false
        private var isEstablished = false
        private var mayDeliver = false
        private var ends = 0
        private(set) var violations: [String] = []

        mutating func check(_ actions: [StreamAction], by event: String) {
            for action in actions {
                if ends > 0 {
                    if case .notSent = action { continue }
                    violate("\(action) after the end, by \(event)")
                }
                switch action {
                case .write(let bytes):
                    let text = String(decoding: bytes, as: UTF8.self)
                    if isHandshaking { violate("written during the handshake: \(text)") }
                    if !isSecured, text.contains("<auth") || text.contains("juliet") || text.contains("<iq") {
                        violate("written in clear: \(text)")
                    }
                case .startTLS:
                    if isSecured || isHandshaking { violate("two handshakes") }
                    isHandshaking = true
                case .progress(.secured):
                    isHandshaking = false
                    isSecured = true
                case .progress(.authenticated), .progress(.authenticating):
                    if !isSecured { violate("authentication in clear") }
                case .established(let session):
                    if isEstablished { violate("established twice") }
                    if session.tls == nil { violate("established in clear") }
                    isEstablished = true
                case .stanzas, .unreadable:
                    if !mayDeliver, !isEstablished { violate("a stanza before binding") }
                case .acknowledged(let tokens):
                    for token in tokens where sent.remove(token) == nil {
                        violate("\(token) acknowledged unsent or twice")
                    }
                case .notSent(let token), .tooLarge(let token, _):
                    sent.remove(token)
                case .progress(.bound), .readyToRegister: mayDeliver = true
                case .ended(let end):
                    ends += 1
                    if ends > 1 { violate("two ends") }
                    // Without stream management it is unknown what arrived; with it no stanza may be lost.
                    if let resumption = end.resumption, resumption.unacknowledged != end.unacknowledged {
                        violate("the resumption and the end disagree")
                    }
                case .closeTransport, .progress, .resourceConflict, .tokenReceived, .tokenRejected, .element: break
                }
            }
        }

        mutating func violate(_ what: String) { violations.append(what) }
    }

    static let elements = [
        ScriptedServer.header, ScriptedServer.featuresInClear, ScriptedServer.proceed, ScriptedServer.mechanisms,
        ScriptedServer.success, ScriptedServer.features, ScriptedServer.bound, ScriptedServer.enabled,
        "<stream:features/>", "<message from='romeo@example.com'><body>O</body></message>", "<presence/>",
        "<iq type='result' id='bind-1'/>", "<iq type='error' id='bind-2'/>",
        "<iq type='get' id='q'><x xmlns='y'/></iq>",
        "<iq type='error' id='bind-1'><error type='cancel'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>",
        "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>cg==</challenge>",
        "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>",
        "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", "<r xmlns='urn:xmpp:sm:3'/>",
        "<a xmlns='urn:xmpp:sm:3' h='0'/>", "<a xmlns='urn:xmpp:sm:3' h='1'/>",
        "<a xmlns='urn:xmpp:sm:3' h='4294967295'/>",
        "<resumed xmlns='urn:xmpp:sm:3' h='1' previd='some-long-sm-id'/>", "<failed xmlns='urn:xmpp:sm:3' h='2'/>",
        "<failed xmlns='urn:xmpp:sm:3'/>",
        "<stream:error><reset xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
        ScriptedServer.extensibleMechanisms, ScriptedServer.admitted, ScriptedServer.resumedInline,
        "<challenge xmlns='urn:xmpp:sasl:2'>cg==</challenge>", "<success xmlns='urn:xmpp:sasl:2'/>",
        "<failure xmlns='urn:xmpp:sasl:2'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>",
        "<failure xmlns='urn:xmpp:sasl:2'><invalid-mechanism xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>",
        "<continue xmlns='urn:xmpp:sasl:2'/>", "<open xmlns='urn:ietf:params:xml:ns:xmpp-framing' version='1.0'/>",
        "</stream:stream>", "<unknown xmlns='urn:example'/>", "<!-- no -->", " ", "<a", "\u{FF}",
    ]

    /// Walks `count` events over as many connections as needed; most steps follow the script, so that the walk
    /// completes logins, and some do not.
    static func walk(seed: UInt64, events count: Int) -> (violations: [String], connections: Int, established: Int) {
        var generator = SeededGenerator(seed: seed)
        var (connections, established) = (0, 0)
        var resumption: ResumptionState?
        var remaining = count
        var violations: [String] = []
        while remaining > 0, violations.isEmpty {
            connections += 1
            let (used, session, found) = connection(&generator, resumption: resumption, limit: remaining)
            remaining -= used
            if session.wasEstablished { established += 1 }
            resumption = session.resumption
            violations = found
        }
        return (violations, connections, established)
    }

    private struct Session {
        var wasEstablished = false
        var isEnded = false
        var resumption: ResumptionState?
    }

    private static func connection(
        _ generator: inout SeededGenerator, resumption: ResumptionState?, limit: Int
    ) -> (Int, Session, [String]) {
        func chance(_ percent: Int, _ generator: inout SeededGenerator) -> Bool {
            Int.random(in: 0..<100, using: &generator) < percent
        }
        let registers = chance(10, &generator)
        let isExtensible = chance(50, &generator)
        var offer = InlineOffer()
        (offer.binds, offer.resumes) = (true, true)
        let token = FASTToken(mechanism: .hashedToken(.sha256, binding: .tlsExporter), token: "t", offer: offer)
        var configuration = ClientStreamConfiguration.scripted {
            $0.resumption = resumption
            if registers { $0.purpose = .register }
            $0.pipelinesStartTLS = chance(50, &generator)
            $0.usesStreamManagement = chance(90, &generator)
            $0.resourceConflict = chance(50, &generator) ? .ask : .tryAlternatives(["garden"])
            if isExtensible {
                $0.address = .fixture("juliet@example.com")
                $0.userAgent = .kitchen
                $0.plan = .forArchiveReaders
                if chance(30, &generator) { $0.fastToken = token }
            }
        }
        configuration.tls = chance(10, &generator) ? .directTLS : .required
        var stream = ClientStream(configuration: configuration)
        var invariants = Invariants()
        for stanza in resumption?.unacknowledged ?? [] { invariants.sent.insert(stanza.token) }
        var now = start
        var session = Session()
        var phase = 0
        var (wantsTLS, registering, choosing) = (false, false, false)
        var unconfirmed = 0
        var events = 0

        func take(_ actions: [StreamAction], _ event: String) {
            invariants.check(actions, by: event)
            for action in actions {
                switch action {
                case .startTLS: wantsTLS = true
                case .readyToRegister: registering = true
                case .resourceConflict: choosing = true
                case .established: session.wasEstablished = true
                case .stanzas(let stanzas): unconfirmed += stanzas.count
                case .unreadable: unconfirmed += 1
                case .ended(let end):
                    session.isEnded = true
                    session.resumption = end.resumption
                case .write, .closeTransport, .progress, .tokenReceived, .tokenRejected, .element, .acknowledged,
                    .notSent, .tooLarge:
                    break
                }
            }
        }

        take(stream.open(now: now), "open")
        take(stream.transportConnected(now: now), "transportConnected")
        let script =
            isExtensible
            ? ScriptedServer.extensibleLogin(resuming: resumption != nil && chance(50, &generator))
            : ScriptedServer.Phase.allCases.map(\.line).filter { !$0.isEmpty }
        var number = (resumption?.unacknowledged.last?.token.rawValue ?? 0) + 1
        while !stream.isEnded, events < limit {
            events += 1
            var event = Int.random(in: 0..<100, using: &generator)
            if !stream.isEstablished, chance(85, &generator) { event = registering || choosing ? 88 : 0 }
            switch event {
            case 0..<45:
                if wantsTLS {
                    wantsTLS = false
                    take(stream.tlsEstablished(.tls13, now: now), "tlsEstablished")
                } else if phase < script.count {
                    take(stream.bytesReceived(Array(script[phase].utf8), now: now), "script")
                    phase += 1
                } else {
                    take(stream.bytesReceived(Array("<message><body>O</body></message>".utf8), now: now), "stanza")
                }
            case 45..<65:
                invariants.sent.insert(StanzaToken(number))
                take(stream.send(Message.to("romeo@example.com", "O"), token: StanzaToken(number), now: now), "send")
                number += 1
            case 65..<75:
                let count = Int.random(in: 0...unconfirmed, using: &generator)
                unconfirmed -= count
                take(stream.stanzasHandled(count, now: now), "stanzasHandled")
            case 75..<82:
                take(stream.bytesReceived(Array("<r xmlns='urn:xmpp:sm:3'/>".utf8), now: now), "r")
            case 82..<88:
                now = now.advanced(by: .milliseconds(Int.random(in: 0..<4000, using: &generator)))
                take(stream.timerFired(now: now), "timerFired")
            case 88..<92:
                if registering {
                    registering = false
                    take(stream.authenticate(with: .juliet, now: now), "authenticate")
                } else if choosing {
                    choosing = false
                    take(stream.useResource(chance(50, &generator) ? "x" : nil, now: now), "useResource")
                }
            case 92..<94 where session.wasEstablished:
                take(
                    stream.sendElement(Presence(), expectsAnswer: chance(50, &generator), now: now), "sendElement")
            case 94..<95:
                take(stream.close(now: now), "close")
            case 95..<96:
                take(stream.transportClosed(.endOfStream, now: now), "transportClosed")
            case 96..<98:
                // A burst, split anywhere.
                var bytes: [UInt8] = []
                for _ in 0..<3 { bytes += Array((elements.randomElement(using: &generator) ?? "").utf8) }
                take(
                    stream.bytesReceived(
                        Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))), now: now),
                    "burst")
            default:
                let text = elements.randomElement(using: &generator) ?? ""
                take(stream.bytesReceived(Array(text.utf8), now: now), text)
            }
            if stream.isEnded != session.isEnded { invariants.violate("an end without its action") }
            if stream.isEnded, stream.nextDeadline != nil { invariants.violate("a deadline after the end") }
            if !stream.isEnded, stream.nextDeadline == nil, !registering, !choosing {
                invariants.violate("a connection that could hang for ever")
            }
        }
        if stream.isEnded {
            // The end is final: no event causes an action.
            invariants.check(stream.bytesReceived(Array("<message/>".utf8), now: now), by: "bytes after the end")
            invariants.check(stream.timerFired(now: now.advanced(by: .seconds(9999))), by: "timer after the end")
            invariants.check(stream.transportClosed(.endOfStream, now: now), by: "closure after the end")
        }
        return (events, session, invariants.violations)
    }

    /// A million with HONGYAN_LONG_TESTS=1.
    static let events = ProcessInfo.processInfo.environment["HONGYAN_LONG_TESTS"] == "1" ? 250_000 : 25_000

    @Test("Many events preserve the invariants", arguments: [1, 2, 3, 4] as [UInt64])
    func walk(seed: UInt64) {
        let (violations, connections, established) = Self.walk(seed: seed, events: Self.events)
        #expect(violations.isEmpty, "seed \(seed)")
        // The walk is only meaningful if it completes logins.
        #expect(established * 5 > connections, "\(established) of \(connections) connections")
    }

    @Test(
        "The client's and the server's bytes in pieces of any size give the same session",
        arguments: Array(1...20) as [UInt64])
    func anyPieces(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var stream = ClientStream(configuration: .scripted())
        _ = stream.transportConnected(now: start)
        var log: [StreamAction] = []
        for phase in ScriptedServer.Phase.allCases {
            if phase == .secured { log += stream.tlsEstablished(.tls13, now: start) }
            var rest = Array(phase.line.utf8)[...]
            while !rest.isEmpty {
                let size = Int.random(in: 1...min(rest.count, 40), using: &generator)
                log += stream.bytesReceived(Array(rest.prefix(size)), now: start)
                rest = rest.dropFirst(size)
            }
        }
        #expect(log.session?.address == .juliet)
    }
}
