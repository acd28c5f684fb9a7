import SASLMechanisms
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// The server's lines of a login with PLAIN, for tests that stop in the middle or send something else.
enum ScriptedServer {
    static let header = """
        <?xml version='1.0'?><stream:stream from='example.com' id='++TR84Sm6A3hnt3Q065SnAbbk3Y=' version='1.0' \
        xml:lang='en' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
        """
    static let featuresInClear = """
        <stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls></stream:features>
        """
    static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
    static let mechanisms = """
        <stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism>\
        </mechanisms></stream:features>
        """
    static let success = "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"
    static let features = """
        <stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/></stream:features>
        """
    static let bound = """
        <iq type='result' id='bind-1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>\
        <jid>juliet@example.com/balcony</jid></bind></iq>
        """
    static let enabled = "<enabled xmlns='urn:xmpp:sm:3' id='some-long-sm-id' resume='true' max='600'/>"

    static let extensibleMechanisms = """
        <stream:features><authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism><inline>\
        <sm xmlns='urn:xmpp:sm:3'/><bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind>\
        <fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-EXPR</mechanism></fast></inline></authentication>\
        </stream:features>
        """
    static let admitted = """
        <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>juliet@example.com/Hongyan/1</authorization-identifier>\
        <bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='some-long-sm-id' resume='true'/></bound>\
        <token xmlns='urn:xmpp:fast:0' token='t2' expiry='2036-01-01T00:00:00Z'/></success>
        """
    static let resumedInline = """
        <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>juliet@example.com/Hongyan/1</authorization-identifier>\
        <resumed xmlns='urn:xmpp:sm:3' previd='some-long-sm-id' h='0'/></success>
        """

    /// A login by XEP-0388.
    static func extensibleLogin(resuming: Bool) -> [String] {
        [header, featuresInClear, proceed, header, extensibleMechanisms, resuming ? resumedInline : admitted, features]
    }

    /// The phase of a login; each case but the first has just received its line.
    enum Phase: Int, CaseIterable, Sendable, Comparable {
        case connected, clearHeader, clearFeatures, handshaking, secured, header, authenticating, reopening
        case finalHeader, binding, enabling, established

        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }

        /// Whether the server's header of the current stream was read.
        var isOpen: Bool {
            switch self {
            case .clearHeader, .clearFeatures, .header, .authenticating, .finalHeader, .binding, .enabling,
                .established:
                true
            case .connected, .handshaking, .secured, .reopening: false
            }
        }

        /// The server's lines up to this phase.
        var line: String {
            switch self {
            case .connected, .secured: ""
            case .clearHeader, .header, .finalHeader: ScriptedServer.header
            case .clearFeatures: ScriptedServer.featuresInClear
            case .handshaking: ScriptedServer.proceed
            case .authenticating: ScriptedServer.mechanisms
            case .reopening: ScriptedServer.success
            case .binding: ScriptedServer.features
            case .enabling: ScriptedServer.bound
            case .established: ScriptedServer.enabled
            }
        }
    }
}

extension ClientStreamConfiguration {
    /// With PLAIN, so that a script can act as the server.
    static func scripted(_ change: (inout ClientStreamConfiguration) -> Void = { _ in }) -> ClientStreamConfiguration {
        .juliet {
            $0.mechanisms = SASLPolicy(allowedMechanisms: [.plain])
            change(&$0)
        }
    }
}

/// A client that is controlled with strings.
struct ScriptedClient: ~Copyable {
    var stream: ClientStream
    var now = start
    var log: [StreamAction] = []

    init(_ configuration: ClientStreamConfiguration = .scripted(), at phase: ScriptedServer.Phase = .connected) {
        stream = ClientStream(configuration: configuration)
        log += stream.open(now: now)
        log += stream.transportConnected(now: now)
        for step in ScriptedServer.Phase.allCases where step <= phase {
            if step == .secured { log += stream.tlsEstablished(.tls13, now: now) }
            if !step.line.isEmpty { receive(step.line) }
        }
    }

    /// A transport with TLS from the beginning.
    init(_ configuration: ClientStreamConfiguration, over framing: StreamFraming) {
        stream = ClientStream(configuration: configuration)
        log += stream.open(now: now)
        log += stream.transportConnected(tls: .tls13, framing: framing, now: now)
    }

    /// Sends a text of the server; returns the actions of the client.
    @discardableResult
    mutating func receive(_ text: String) -> [StreamAction] {
        let actions = stream.bytesReceived(Array(text.utf8), now: now)
        log += actions
        return actions
    }

    @discardableResult
    mutating func wait(_ duration: Duration) -> [StreamAction] {
        now = now.advanced(by: duration)
        let actions = stream.timerFired(now: now)
        log += actions
        return actions
    }

    @discardableResult
    mutating func send(_ stanza: some XMLEncodable, token: StanzaToken) -> [StreamAction] {
        let actions = stream.send(stanza, token: token, now: now)
        log += actions
        return actions
    }

    var failure: StreamFailure? { log.ends.first?.failure }
}
