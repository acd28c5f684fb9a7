import SASLMechanisms
public import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// The side of a client, or of an external component, of one connection (RFC 6120, XEP-0114): takes bytes, time and
/// commands, and returns actions; it has no side effects.
///
/// The owner drives a transport and a clock. It reports events to the stream and performs the returned actions in
/// order; before it waits, it reads `nextDeadline`, and calls `timerFired(now:)` at that time.
///
///     var stream = ClientStream(configuration: configuration)
///     perform(stream.open(now: now))                     // then connect a transport
///     perform(stream.transportConnected(now: now))       // .write(…)
///     perform(stream.bytesReceived(bytes, now: now))     // .startTLS
///     perform(stream.tlsEstablished(information, now: now))
///     …                                                  // .established(session)
///     perform(stream.send(message, token: token, now: now))
///     perform(stream.close(now: now))                    // … .closeTransport, .ended(end)
///
/// A value is used for one connection. In any case, `.ended` is returned exactly once, and every later event returns no
/// action.
public struct ClientStream: ~Copyable, Sendable {
    /// Until the session is established, which needs neither the credentials any more nor most of the rest.
    private var sharedConfiguration: SharedConfiguration?
    var configuration: ClientStreamConfiguration {
        guard let sharedConfiguration else { preconditionFailure("the configuration is for the login") }
        return sharedConfiguration.value
    }
    let closeTimeout: Duration
    /// The domain that a component serves; `nil` for a client.
    let componentAddress: JID?
    private var parser = XMLStreamParser(limits: .beforeAuthentication)
    var management = StreamManagement()
    private var earlier: EarlierSession
    var pingCount = 0
    /// The number of probes and keep-alive spaces sent.
    public internal(set) var keepAliveCount: UInt64 = 0
    /// The adapted keep-alive for the next connection on this network; nil unless the policy adapts.
    public internal(set) var keepAlivePace: KeepAlivePace?
    /// The limits of the server on this stream (XEP-0478).
    public private(set) var serverLimits: StreamLimits
    private(set) var framing = StreamFraming.stream
    var state: State

    public init(configuration: ClientStreamConfiguration) {
        sharedConfiguration = SharedConfiguration(configuration)
        closeTimeout = configuration.closeTimeout
        componentAddress = configuration.isComponent ? configuration.address : nil
        serverLimits = configuration.serverLimits
        earlier = EarlierSession(configuration.usesStreamManagement ? configuration.resumption : nil)
        state = .idle
    }
}

// MARK: - The transport

extension ClientStream {
    /// The owner begins to connect a transport: the timeout of the login starts here.
    public mutating func open(now: ContinuousInstant) -> [StreamAction] {
        switch phase {
        case .idle:
            state = .connecting(deadline: now.advanced(by: configuration.loginTimeout))
            return [.progress(.willConnect)]
        case .ended:
            return []
        case .connecting, .negotiating, .established, .closing:
            preconditionFailure("a stream is opened once")
        }
    }

    /// The transport is connected.
    ///
    /// - Parameters:
    ///   - tls: The properties of TLS, if the transport was secured on connecting (XEP-0368, RFC 7395).
    ///   - framing: How the transport carries elements.
    public mutating func transportConnected(
        tls: TLSInformation? = nil, framing: StreamFraming = .stream, now: ContinuousInstant
    ) -> [StreamAction] {
        switch phase {
        case .idle, .connecting: break
        // Closed by the owner while the transport was being connected.
        case .ended: return [.closeTransport]
        case .negotiating, .established, .closing: preconditionFailure("a transport connects once")
        }
        let deadline = nextDeadline ?? now.advanced(by: configuration.loginTimeout)
        self.framing = framing
        if framing == .webSocket { parser.append(StreamFraming.rootOfMessages) }
        guard let sharedConfiguration else { preconditionFailure("a stream has its configuration until the login") }
        var negotiation = StreamNegotiation(configuration: sharedConfiguration)
        let steps = negotiation.transportConnected(tls: tls, now: now)
        state = .negotiating(Negotiating(negotiation: negotiation, deadline: deadline))
        var output = ActionList(framing)
        output.append(.progress(.connected))
        perform(steps, now: now, &output)
        return output.take()
    }

    /// The TLS handshake requested by `.startTLS` succeeded, and the certificate was accepted for the domain of the
    /// account.
    public mutating func tlsEstablished(_ tls: TLSInformation, now: ContinuousInstant) -> [StreamAction] {
        switch phase {
        case .negotiating:
            parser = XMLStreamParser(limits: .beforeAuthentication)
            return perform(state.negotiate { $0.tlsEstablished(tls, now: now) }, now: now)
        case .ended:
            return []
        case .idle, .connecting, .established, .closing:
            preconditionFailure("TLS is established only after .startTLS was asked for")
        }
    }

    /// The transport could not be connected, failed or was ended by the server.
    ///
    /// To keep a session for a later resumption, close the transport and call this with `.broken` instead of
    /// `close(now:)`.
    public mutating func transportClosed(_ closure: TransportClosure, now: ContinuousInstant) -> [StreamAction] {
        var output = ActionList(framing)
        switch phase {
        case .idle, .connecting, .negotiating, .established:
            end(.failed(StreamFailure(closure)), &output)
        case .closing:
            end(.requested, &output)
        case .ended:
            break
        }
        return output.take()
    }
}

// MARK: - Bytes

extension ClientStream {
    /// Bytes were received and, with TLS, decrypted.
    public mutating func bytesReceived(
        _ bytes: consuming [UInt8], now: ContinuousInstant
    ) -> [StreamAction] {
        var output = ActionList(framing)
        if acceptsBytes(now: now, &output) {
            parser.append(bytes)
            parse(now: now, &output)
        }
        return output.take()
    }

    /// Bytes were received and, with TLS, decrypted.
    public mutating func bytesReceived(
        _ bytes: UnsafeRawBufferPointer, now: ContinuousInstant
    ) -> [StreamAction] {
        var output = ActionList(framing)
        if acceptsBytes(now: now, &output) {
            parser.append(bytes)
            parse(now: now, &output)
        }
        return output.take()
    }

    /// Records that the connection is alive; returns whether bytes are allowed in this state.
    private mutating func acceptsBytes(now: ContinuousInstant, _ output: inout ActionList) -> Bool {
        switch phase {
        case .negotiating:
            guard isHandshaking else { return true }
            fail(StreamFailure(.injectedBeforeEncryption), tell: nil, &output)
            return false
        case .established:
            state.flow { $0.keepAlive.bytesReceived(now: now) }
            noteKeepAlive()
            return true
        case .closing: return true
        case .ended: return false
        case .idle, .connecting: preconditionFailure("bytes were received before a transport was connected")
        }
    }

    /// Gives back memory that is needed only while data is received; called when everything that was received is handled.
    package mutating func releaseMemory() { parser.releaseMemory() }

    private mutating func parse(now: ContinuousInstant, _ output: inout ActionList) {
        while isReading {
            do throws(XMLError) {
                guard let event = try parser.next() else { return }
                switch event {
                case .streamOpened(let root):
                    // With message framing, the root is generated by us.
                    if framing == .stream { streamOpened(root, now: now, &output) }
                case .element(let element): elementReceived(element, now: now, &output)
                case .unreadable(let element): unreadableReceived(element, &output)
                case .streamClosed: streamClosed(&output)
                }
            } catch {
                malformed(error, in: parser.brokenElement, &output)
                return
            }
        }
    }

    /// Whether received bytes belong to the XML stream.
    private var isReading: Bool {
        switch phase {
        case .negotiating: !isHandshaking
        case .established, .closing: true
        case .idle, .connecting, .ended: false
        }
    }

    private mutating func streamOpened(
        _ root: XMLElement, now: ContinuousInstant, _ output: inout ActionList
    ) {
        let namespace = parser.contentNamespace
        if componentAddress != nil { parser.readContent(as: XMPPNamespace.client) }
        perform(state.negotiate { $0.streamOpened(root, contentNamespace: namespace) }, now: now, &output)
    }

    private mutating func elementReceived(
        _ element: XMLElement, now: ContinuousInstant, _ output: inout ActionList
    ) {
        if framing == .webSocket {
            // With message framing the header is an ordinary element, so its position must be checked here.
            if awaitsHeader {
                if element.isNamed(StreamName.open) {
                    streamOpened(element, now: now, &output)
                } else {
                    fail(StreamFailure(.notXMPP, text: element.name.description), tell: nil, &output)
                }
                return
            }
            if element.isNamed(StreamName.close) { return streamClosed(&output) }
        }
        switch phase {
        case .established:
            if !element.isStanza {
                controlReceived(element, now: now, &output)
            } else if !state.flow({ $0.takesAnswer(element) }) {
                management.stanzasReceived()
                output.stanza(element)
            }
        case .negotiating:
            if element.isNamed(StreamName.error) {
                streamErrorReceived(element, &output)
            } else {
                perform(state.negotiate { $0.elementReceived(element, now: now) }, now: now, &output)
            }
        case .closing:
            // With stream management, a stanza that arrives now cannot be acknowledged any more: the server keeps it
            // and delivers it to the next session, so passing it to the owner would duplicate it.
            if element.isStanza {
                if !management.isActive { output.stanza(element) }
            } else if element.isNamed(StreamName.answer) {
                acknowledgementReceived(element, now: now, &output)
            }
        case .idle, .connecting, .ended:
            preconditionFailure("an element was read where no stream is open")
        }
    }

    /// A well-formed element exceeds the limits of the parser. It may come from another user, so it does not end the
    /// stream: a stanza is reported and counted, anything else is ignored, unless the login waits for it.
    private mutating func unreadableReceived(_ element: UnreadableElement, _ output: inout ActionList) {
        let tag = element.startTag
        let isStanza = tag.isStanza
        switch phase {
        case .established where isStanza:
            if state.flow({ $0.takesAnswer(tag) }) { return }
            management.stanzasReceived()
            output.append(.unreadable(element))
        case .negotiating:
            guard isStanza, !isRegistering else { return malformed(element.reason, &output) }
            management.stanzasReceived()
            output.append(.unreadable(element))
        case .established, .closing: break
        case .idle, .connecting, .ended:
            preconditionFailure("an element was read where no stream is open")
        }
    }

    /// Handles an element other than a stanza on an established stream.
    private mutating func controlReceived(
        _ element: XMLElement, now: ContinuousInstant, _ output: inout ActionList
    ) {
        if element.isNamed(StreamName.request) {
            switch management.acknowledgementRequested(now: now) {
            case .answer(let handled): output.write(StreamMarkup.answer(handled))
            case .later: break
            case .unexpected: output.append(.element(element))
            }
        } else if element.isNamed(StreamName.answer) {
            earlier.proved()
            state.flow { $0.keepAlive.answerReceived() }
            acknowledgementReceived(element, now: now, &output)
        } else if element.isNamed(StreamName.error) {
            streamErrorReceived(element, &output)
        } else if element.isNamed(StreamName.features) {
            // After a resumption by XEP-0388, features may arrive at any time or not at all.
            serverLimits = StreamFeatures(element: element).limits
        } else {
            output.append(.element(element))
        }
    }

    private mutating func acknowledgementReceived(
        _ element: XMLElement, now: ContinuousInstant, _ output: inout ActionList
    ) {
        guard let handled = element.handledCount else {
            output.append(.element(element))
            return
        }
        switch management.acknowledgementReceived(handled: handled) {
        case .acknowledged(let tokens, let requestAgain):
            if !tokens.isEmpty { output.append(.acknowledged(tokens)) }
            // After `</stream:stream>` nothing is written; the last request was made before it.
            if requestAgain, isEstablished {
                output.write(StreamMarkup.request)
                state.flow { $0.keepAlive.answerOwed(within: KeepAlive.answerTimeout, now: now) }
            }
        case .tooHigh(let handled, let sent):
            handledCountTooHigh(handled: handled, sent: sent, &output)
        case .unexpected:
            output.append(.element(element))
        }
    }

    private mutating func streamErrorReceived(_ element: XMLElement, _ output: inout ActionList) {
        let error = (try? StreamError(from: element)) ?? StreamError(.undefinedCondition)
        let isRefusal = componentAddress != nil && phase == .negotiating
        fail(isRefusal ? StreamFailure(refusingComponent: error) : StreamFailure(error), tell: nil, &output)
    }

    private mutating func malformed(
        _ error: XMLError, in element: UnreadableElement? = nil, _ output: inout ActionList
    ) {
        let condition = StreamError.Condition(rawValue: error.streamErrorCondition) ?? .notWellFormed
        // Before the login the peer is unverified, and its statements about other senders are not trusted.
        let stanza = parser.skipsUnreadableElements && element?.startTag.isStanza == true ? element : nil
        fail(StreamFailure(error, in: stanza), tell: condition, &output)
    }

    private mutating func handledCountTooHigh(handled: UInt32, sent: UInt32, _ output: inout ActionList) {
        output.write(StreamMarkup.handledCountTooHigh(handled: handled, sent: sent))
        fail(StreamFailure(.handledCountTooHigh), tell: nil, &output)
    }

    private mutating func streamClosed(_ output: inout ActionList) {
        switch phase {
        case .negotiating:
            fail(StreamFailure(.closedDuringLogin), tell: nil, &output)
        case .established:
            writeFooter(&output)
            output.append(.closeTransport)
            end(.closedByServer, &output)
        case .closing:
            output.append(.closeTransport)
            end(.requested, &output)
        case .idle, .connecting, .ended:
            preconditionFailure("the end of a stream was read where none is open")
        }
    }
}

// MARK: - The negotiation's actions

extension ClientStream {
    mutating func perform(
        _ steps: [StreamNegotiation.Action], now: ContinuousInstant
    ) -> [StreamAction] {
        var output = ActionList(framing)
        perform(steps, now: now, &output)
        return output.take()
    }

    mutating func perform(
        _ steps: [StreamNegotiation.Action], now: ContinuousInstant, _ output: inout ActionList
    ) {
        for step in steps {
            switch step {
            case .write(let bytes): output.write(bytes)
            case .openStream(let address):
                output.send(
                    framing.header(
                        to: configuration.address.domain, from: address, isComponent: componentAddress != nil))
            case .tokenReceived(let token): output.append(.tokenReceived(token))
            case .tokenRejected: output.append(.tokenRejected)
            case .progress(let progress):
                // An authenticated server may pass on stanzas of any user; until then the peer is unverified.
                if progress == .authenticated {
                    parser.limits = configuration.limits
                    parser.skipsUnreadableElements = true
                }
                output.append(.progress(progress))
            case .secureTransport:
                // Bytes after <proceed/> in clear would be treated as if they had been encrypted (CVE-2011-0411).
                guard parser.unconsumedByteCount == 0 else {
                    fail(StreamFailure(.injectedBeforeEncryption), tell: nil, &output)
                    return
                }
                output.append(.startTLS)
            case .restartStream: if framing == .stream { parser.reset() }
            case .readyToRegister(let features):
                state.setLoginDeadline(nil)
                output.append(.readyToRegister(features))
            case .resourceConflict(let resource):
                state.setLoginDeadline(nil)
                output.append(.resourceConflict(resource: resource))
            case .stanza(let element):
                if !isRegistering { management.stanzasReceived() }
                output.stanza(element)
            case .element(let element): output.append(.element(element))
            case .resumeSent(let session):
                management.resumeRequested(session)
                earlier.takenOver()
            case .resumed(let previousID, let handled, let ready):
                guard resumed(previousID: previousID, handled: handled, ready, now: now, &output) else { return }
            case .resumptionRefused(let handled):
                guard case .resumptionRefused(let tokens, let rest) = management.refused(handled: handled) else {
                    preconditionFailure("the negotiation reported a refusal of what was not asked for")
                }
                earlier.refused(leaving: rest)
                if !tokens.isEmpty { output.append(.acknowledged(tokens)) }
            case .enableSent: management.enableSent()
            case .enabled(let promise, let address):
                _ = management.enabledReceived(promise, address: address)
            case .enableRefused:
                _ = management.refused(handled: nil)
            case .established(let address, let ready):
                established(as: address, ready, isResumed: false, now: now, &output)
            case .failed(let failure, let condition):
                fail(failure, tell: condition, &output)
                return
            }
        }
    }

    private mutating func resumed(
        previousID: String, handled: UInt32, _ ready: StreamNegotiation.Ready, now: ContinuousInstant,
        _ output: inout ActionList
    ) -> Bool {
        switch management.resumed(previousID: previousID, handled: handled) {
        case .resumed(let tokens, let replay, let address):
            earlier.resumed()
            output.append(.progress(.resumed(address)))
            established(as: address, ready, isResumed: true, now: now, &output)
            if !tokens.isEmpty { output.append(.acknowledged(tokens)) }
            for stanza in replay { output.write(stanza) }
            if !replay.isEmpty {
                output.write(StreamMarkup.request)
                // Whatever else it sends, only the answer shows that the server understands this connection: see ``end``.
                state.flow { $0.keepAlive.answerOwed(within: KeepAlive.proofTimeout, now: now) }
            }
            return true
        case .tooHigh(let handled, let sent):
            handledCountTooHigh(handled: handled, sent: sent, &output)
        case .unexpected:
            fail(StreamFailure(.unexpectedElement, text: "resumed"), tell: .policyViolation, &output)
        }
        return false
    }

    private mutating func established(
        as address: JID, _ ready: StreamNegotiation.Ready, isResumed: Bool, now: ContinuousInstant,
        _ output: inout ActionList
    ) {
        // Limits announced before the login are those for strangers, and no others follow if the session was resumed by
        // it.
        if !ready.shortcuts.resumesInline { serverLimits = ready.features.limits }
        let keepAlive = configuration.keepAlive.limited(to: serverLimits.idleTime)
        let pace = configuration.keepAlivePace?.limited(by: keepAlive)
        state = .established(Established(address: address, keepAlive: KeepAlive(keepAlive, pace: pace, now: now)))
        sharedConfiguration = nil
        noteKeepAlive()
        let session = StreamSession(
            address: address, isResumed: isResumed, isManaged: management.isActive,
            isResumable: management.resumptionState != nil, features: ready.features, tls: ready.tls,
            mechanism: ready.mechanism, shortcuts: ready.shortcuts, unacknowledged: earlier.takeLeftOver())
        output.append(.established(session))
    }
}

// MARK: - The end

extension ClientStream {
    /// Ends the stream because of an error: informs the server if possible, and closes the transport.
    mutating func fail(
        _ failure: StreamFailure, tell condition: StreamError.Condition?, _ output: inout ActionList
    ) {
        switch phase {
        case .negotiating, .established:
            // During a handshake anything written would be sent unencrypted.
            guard !isHandshaking else { break }
            if let condition { output.write(StreamMarkup.streamError(StreamError(condition))) }
            writeFooter(&output)
        case .closing:
            // Our side is already closed, because the owner requested the end.
            output.append(.closeTransport)
            end(.requested, &output)
            return
        case .ended:
            return
        case .idle, .connecting:
            preconditionFailure("a stream that is not open cannot fail")
        }
        output.append(.closeTransport)
        end(.failed(failure), &output)
    }

    func writeFooter(_ output: inout ActionList) {
        output.send(framing.footer)
        output.append(.progress(.closingSent))
    }

    /// Returns the final action.
    mutating func end(_ reason: StreamEnd.Reason, _ output: inout ActionList) {
        state = .ended
        let end = earlier.end(reason, management)
        output.append(.progress(.closed))
        output.append(.ended(end))
    }
}

// MARK: - Properties

extension ClientStream {
    /// Whether stanzas can be sent.
    public var isEstablished: Bool { phase == .established }

    /// Whether `.ended` was returned.
    public var isEnded: Bool { phase == .ended }

    /// The state from which the session could be resumed if the connection were lost now; nil if the server did not
    /// offer resumption. If it is stored together with sent and received stanzas, it survives the end of the process.
    public var resumptionState: ResumptionState? {
        switch phase {
        case .negotiating, .established: management.resumptionState ?? earlier.resumption
        case .idle, .connecting: earlier.resumption
        case .closing, .ended: nil
        }
    }

    /// The state to store together with stanzas that were received but not yet confirmed by `stanzasHandled`: the value
    /// from which the session can be resumed once the oldest `count` of them are stored.
    ///
    /// Also valid after the end of the stream, if `StreamEnd.resumption` shows that the session can be resumed: stanzas
    /// handled since then are counted here.
    public func resumptionState(afterHandling count: Int) -> ResumptionState? {
        management.resumptionState(afterHandling: count) ?? resumptionState
    }

    /// The number of sent stanzas that the server has not acknowledged.
    public var unacknowledgedCount: Int { management.unacknowledgedCount }
}
