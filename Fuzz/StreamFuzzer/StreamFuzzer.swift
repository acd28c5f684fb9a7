import SASLMechanisms
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// The input acts as server, network, clock and owner of the client's machine; the fuzzer stops on the first violated
/// guarantee.
///
/// The first byte sets the configuration. Then each byte is an event: lines of a well-behaved server, so that the
/// fuzzer gets through a login, raw bytes of the input, a successful handshake, elapsed time, requests of the owner.
/// Whatever the events, the machine does not trap, writes no secret unencrypted and ends exactly once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStream(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Array(UnsafeBufferPointer(start: start, count: count))[...]
    guard let settings = input.popFirst() else { return 0 }
    var run = Run(settings)
    while let event = input.popFirst(), !run.stream.isEnded { run.event(event, &input) }
    run.finish()
    return 0
}

private let lines: [String] = [
    "<stream:stream id='1' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>",
    "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>",
    "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
    "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>"
        + "</stream:features>",
    "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
    "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/></stream:features>",
    "<iq type='result' id='bind-1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>a@b/c</jid></bind></iq>",
    "<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>", "<message/>", "<r xmlns='urn:xmpp:sm:3'/>",
    "<a xmlns='urn:xmpp:sm:3' h='1'/>", "<resumed xmlns='urn:xmpp:sm:3' h='1' previd='x'/>",
    "<failed xmlns='urn:xmpp:sm:3' h='1'/>", "<iq type='error' id='bind-1'/>", "</stream:stream>",
    "<stream:error><reset xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
]

/// What a server with XEP-0388 sends after `<proceed/>`.
private let extensibleLines: [String] = [
    lines[0],
    "<stream:features><authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism><inline><sm xmlns='urn:xmpp:sm:3'/>"
        + "<bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind>"
        + "<fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-NONE</mechanism></fast></inline></authentication>"
        + "</stream:features>",
    "<success xmlns='urn:xmpp:sasl:2'><additional-data>AAAA</additional-data><authorization-identifier>a@b/c"
        + "</authorization-identifier><bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>"
        + "</bound><token xmlns='urn:xmpp:fast:0' token='t'/></success>",
    "<stream:features xmlns:stream='http://etherx.jabber.org/streams'/>",
    "<success xmlns='urn:xmpp:sasl:2'><additional-data>AAAA</additional-data><resumed xmlns='urn:xmpp:sm:3' h='1' previd='x'/>"
        + "</success>",
    "<failure xmlns='urn:xmpp:sasl:2'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>",
    "<open xmlns='urn:ietf:params:xml:ns:xmpp-framing' version='1.0'/>",
    "<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'/>",
]

/// Every HMAC is three zeros, so that the lines above contain a valid proof.
private let digests = SASLDigests([
    SASLDigest(.sha256, hashValue: { _ in [0, 0, 0] }, hmac: { _, _ in [0, 0, 0] }, pbkdf2: { _, _, _ in nil })
])

private struct Run: ~Copyable {
    var stream: ClientStream
    private var now = ContinuousInstant(sinceStart: .zero)
    private var token: UInt64 = 100
    private var (wantsTLS, isSecured, isRegistering, isChoosing) = (false, false, false, false)
    private var unconfirmed = 0
    private var ends = 0
    /// The progress of the well-behaved server.
    private var line = 0

    init(_ settings: UInt8) {
        let isExtensible = settings & 32 != 0
        guard let address = try? JID(isExtensible ? "a@b" : "a@b/c"), let full = try? JID("a@b/c") else {
            preconditionFailure("The address of the fuzzer is refused.")
        }
        let credentials = SASLCredentials(username: "a", password: "secret")
        var configuration = ClientStreamConfiguration(
            address: address, purpose: settings & 1 == 0 ? .authenticate(credentials) : .register, digests: digests,
            nonce: "n")
        configuration.mechanisms = SASLPolicy(allowedMechanisms: [.plain])
        configuration.pipelinesStartTLS = settings & 2 == 0
        configuration.usesStreamManagement = settings & 4 == 0
        configuration.resourceConflict = settings & 8 == 0 ? .letServerChoose : .ask
        if settings & 16 != 0 {
            let stanza = UnacknowledgedStanza(token: StanzaToken(1), bytes: Array("<message/>".utf8))
            configuration.resumption = ResumptionState(
                id: "x", address: full, handledCount: .max, acknowledgedCount: 0, unacknowledged: [stanza])
        }
        if isExtensible {
            configuration.plan = .forArchiveReaders
            configuration.mechanisms.allowsUnboundTokens = true
            configuration.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770")
            var offer = InlineOffer()
            (offer.binds, offer.resumes) = (true, true)
            if settings & 64 != 0 {
                configuration.fastToken = FASTToken(
                    mechanism: .hashedToken(.sha256, binding: nil), token: "t", offer: offer)
            }
        }
        stream = ClientStream(configuration: configuration)
        take(stream.open(now: now))
        if settings & 128 != 0 {
            isSecured = true
            take(stream.transportConnected(tls: TLSInformation(version: .tls13), framing: .webSocket, now: now))
        } else {
            take(stream.transportConnected(now: now))
        }
    }

    mutating func event(_ event: UInt8, _ input: inout ArraySlice<UInt8>) {
        switch event {
        case 0..<16: receive(Array(lines[Int(event)].utf8))
        case 16..<24: receive(Array(extensibleLines[Int(event) - 16].utf8))
        case 24..<64:
            if wantsTLS { return secure() }
            receive(Array(lines[line % lines.count].utf8))
            line += 1
        case 64..<160:
            let bytes = Array(input.prefix(Int(event) - 63))
            input = input.dropFirst(bytes.count)
            receive(bytes)
        case 160..<176: secure()
        case 176..<192:
            now = now.advanced(by: .seconds(Int(event) - 175))
            take(stream.timerFired(now: now))
        case 192..<208:
            token += 1
            take(stream.send(Presence(), token: StanzaToken(token), now: now))
        case 208..<224:
            let count = min(unconfirmed, Int(event) - 208)
            unconfirmed -= count
            take(stream.stanzasHandled(count, now: now))
        case 224..<240:
            if isRegistering {
                isRegistering = false
                take(stream.authenticate(with: SASLCredentials(username: "a", password: "secret"), now: now))
            } else if isChoosing {
                isChoosing = false
                take(stream.useResource(event & 1 == 0 ? nil : "d", now: now))
            }
        case 240..<248: take(stream.close(now: now))
        default: take(stream.transportClosed(.endOfStream, now: now))
        }
    }

    /// In every state the end of the transport is the end.
    mutating func finish() {
        take(stream.transportClosed(.endOfStream, now: now))
        precondition(ends == 1 && stream.isEnded, "The stream did not end once.")
        precondition(stream.nextDeadline == nil, "A deadline is left after the end.")
    }

    private mutating func secure() {
        guard wantsTLS else { return }
        wantsTLS = false
        isSecured = true
        take(stream.tlsEstablished(TLSInformation(version: .tls13), now: now))
    }

    private mutating func receive(_ bytes: [UInt8]) { take(stream.bytesReceived(bytes, now: now)) }

    private mutating func take(_ actions: [StreamAction]) {
        for action in actions {
            if case .notSent = action { continue }
            precondition(ends == 0, "Something follows the end.")
            switch action {
            case .write(let bytes):
                precondition(!wantsTLS, "Something was written during the handshake.")
                precondition(
                    isSecured || !String(decoding: bytes, as: UTF8.self).contains("<auth"), "Secrets in clear.")
            case .startTLS: wantsTLS = true
            case .readyToRegister: isRegistering = true
            case .resourceConflict: isChoosing = true
            case .established: precondition(isSecured, "Stanzas in clear.")
            case .stanzas(let stanzas): unconfirmed += stanzas.count
            case .unreadable: unconfirmed += 1
            case .ended: ends += 1
            case .closeTransport, .progress, .tokenReceived, .tokenRejected, .element, .acknowledged, .notSent,
                .tooLarge:
                break
            }
        }
    }
}
