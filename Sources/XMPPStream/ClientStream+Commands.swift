public import SASLMechanisms
public import Waiting
public import XMLStreaming
public import XMPPStanzas

extension ClientStream {
    /// Sends a stanza; it counts for stream management.
    public mutating func send(
        _ stanza: some XMLEncodable, token: StanzaToken, now: ContinuousInstant
    ) -> [StreamAction] {
        var output = ActionList(framing)
        send(stanza, token, now: now, &output)
        return output.take()
    }

    /// Sends several stanzas in one write, in their order.
    public mutating func send(
        contentsOf stanzas: [(stanza: any XMLEncodable, token: StanzaToken)], now: ContinuousInstant
    ) -> [StreamAction] {
        var output = ActionList(framing)
        for (stanza, token) in stanzas { send(stanza, token, now: now, &output) }
        return output.take()
    }

    private mutating func send(
        _ stanza: some XMLEncodable, _ token: StanzaToken, now: ContinuousInstant, _ output: inout ActionList
    ) {
        guard isEstablished else {
            output.append(.notSent(token))
            return
        }
        let bytes = StreamMarkup.bytes(of: stanza)
        let document = framing.document(of: bytes)
        guard document.count <= serverLimits.stanzaBytes else {
            output.append(.tooLarge(token, byteCount: document.count))
            return
        }
        output.send(document)
        if case .request = management.stanzaSent(token, bytes[...]) {
            output.write(StreamMarkup.request)
            state.flow { $0.keepAlive.answerExpected(now: now) }
        }
    }

    /// What became of a stanza.
    package enum Sending: Equatable {
        case written
        /// With it an acknowledgement was requested, so `nextDeadline` has changed.
        case writtenWithRequest
        /// The stream is not, or no longer, ready for stanzas.
        case notSent
        /// The server does not accept as many bytes: ``serverLimits``.
        case tooLarge(byteCount: Int)
    }

    /// A writer for stanzas on a stream.
    package static func makeWriter() -> XMLWriter { emptyWriter }

    /// Its copies share the memory of the namespace.
    private static let emptyWriter = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)

    /// Sends a stanza by writing it into a buffer of the owner, which sends that; it counts for stream management. Only for
    /// ``StreamFraming/stream``.
    package mutating func send(
        _ stanza: some XMLEncodable, token: StanzaToken, now: @autoclosure () -> ContinuousInstant,
        to writer: inout XMLWriter
    ) -> Sending {
        precondition(framing == .stream, "a message of a WebSocket is not a part of a stream")
        guard isEstablished else { return .notSent }
        let start = writer.byteCount
        writer.write(stanza)
        let byteCount = writer.byteCount - start
        guard byteCount <= serverLimits.stanzaBytes else {
            writer.removeBytes(after: start)
            return .tooLarge(byteCount: byteCount)
        }
        guard case .request = management.stanzaSent(token, writer.bytes(after: start)) else { return .written }
        writer.append(written: StreamMarkup.request)
        state.flow { $0.keepAlive.answerExpected(now: now()) }
        return .writtenWithRequest
    }

    /// Whether the server acknowledges stanzas that are sent now: otherwise tokens of the owner have no meaning.
    package var countsSentStanzas: Bool { management.countsSentStanzas }

    /// Sends stanzas that the owner has written one after the other with a ``makeWriter()``, none larger than ``serverLimits``
    /// allow, while the stream was established; they count for stream management. Only for ``StreamFraming/stream``.
    ///
    /// - Parameters:
    ///   - sizes: The number of bytes of each stanza.
    ///   - first: The token of the first stanza; those of the others follow it.
    package mutating func send(
        written bytes: [UInt8], sizes: [Int], first: StanzaToken, now: @autoclosure () -> ContinuousInstant,
        to writer: inout XMLWriter
    ) -> Sending {
        precondition(framing == .stream, "a message of a WebSocket is not a part of a stream")
        guard isEstablished else { return .notSent }
        writer.append(written: bytes)
        guard case .request = management.stanzasSent(from: first, sizes, bytes) else { return .written }
        writer.append(written: StreamMarkup.request)
        state.flow { $0.keepAlive.answerExpected(now: now()) }
        return .writtenWithRequest
    }

    /// Sends an element other than a stanza, such as the client state of XEP-0352. It is not counted and is lost with
    /// the connection. It is not sent unless the stream is established, or if it is larger than ``serverLimits`` allow.
    ///
    /// - Parameter expectsAnswer: Whether to send a question after it, `<r/>` or a ping, so that the server writes something
    ///   after it has read the element.
    public mutating func sendElement(
        _ element: some XMLEncodable, expectsAnswer: Bool = false, now: ContinuousInstant
    ) -> [StreamAction] {
        let bytes = byteCount(of: element) <= serverLimits.stanzaBytes ? StreamMarkup.bytes(of: element) : []
        guard isEstablished, !bytes.isEmpty else { return [] }
        var output = ActionList(framing)
        output.write(bytes)
        if expectsAnswer {
            probe(&output)
            state.flow { $0.keepAlive.answerExpected(now: now) }
        }
        return output.take()
    }

    /// The size of an element on this stream in bytes.
    public func byteCount(of element: some XMLEncodable) -> Int {
        framing.document(of: StreamMarkup.bytes(of: element)).count
    }

    /// Sends a registration request (XEP-0077 §3.1) after `.readyToRegister`; the response is reported as `.stanzas`.
    ///
    /// Nothing else may be sent before authentication: the payload must be a registration (`jabber:iq:register`) or
    /// the token of an invitation (XEP-0445).
    public mutating func sendRegistration(_ request: IQ, now: ContinuousInstant) -> [StreamAction] {
        precondition(
            request.payloads.allSatisfy { StreamNamespace.isRegistration($0.name.namespace) },
            "only registration requests may be sent before authentication")
        return isRegistering ? written(StreamMarkup.bytes(of: request)) : []
    }

    /// Logs in on the stream on which an account was registered.
    public mutating func authenticate(
        with credentials: SASLCredentials, now: ContinuousInstant
    ) -> [StreamAction] {
        switch phase {
        case .negotiating:
            state.setLoginDeadline(now.advanced(by: configuration.loginTimeout))
            return perform(state.negotiate { $0.authenticate(credentials, now: now) }, now: now)
        case .ended:
            return []
        case .idle, .connecting, .established, .closing:
            preconditionFailure("authenticate only when .readyToRegister was given, and once")
        }
    }

    /// Responds to `.resourceConflict`: requests another resource; nil lets the server choose.
    public mutating func useResource(_ resource: String?, now: ContinuousInstant) -> [StreamAction] {
        switch phase {
        case .negotiating:
            state.setLoginDeadline(now.advanced(by: configuration.loginTimeout))
            return perform(state.negotiate { $0.useResource(resource) }, now: now)
        case .ended:
            return []
        case .idle, .connecting, .established, .closing:
            preconditionFailure("a resource is chosen only when .resourceConflict was given, and once")
        }
    }

    /// The owner has handled the oldest `count` stanzas that it received: the server no longer needs to keep them
    /// (XEP-0198 §4). Stanzas received before a resource was bound are not counted.
    public mutating func stanzasHandled(_ count: Int, now: ContinuousInstant) -> [StreamAction] {
        let isOpen: Bool
        switch phase {
        case .established: isOpen = true
        case .negotiating:
            if isRegistering { return [] }
            isOpen = true
        // Too late to acknowledge, but not to count: see `resumptionState(afterHandling:)`.
        case .closing, .ended: isOpen = false
        case .idle, .connecting: return []
        }
        guard case .answer(let handled) = management.stanzasHandled(min(count, management.unconfirmedCount)), isOpen
        else { return [] }
        return written(StreamMarkup.answer(handled))
    }

    /// Closes the stream (RFC 6120 §4.4): the last acknowledgement, a request for that of the server if anything is not
    /// acknowledged, `</stream:stream>`, and a short wait for that of the server.
    public mutating func close(now: ContinuousInstant) -> [StreamAction] {
        var output = ActionList(framing)
        switch phase {
        case .idle:
            output.append(.progress(.closeRequested))
            end(.requested, &output)
        case .connecting:
            output.append(.progress(.closeRequested))
            output.append(.closeTransport)
            end(.requested, &output)
        case .negotiating:
            output.append(.progress(.closeRequested))
            // During a handshake anything written would be sent unencrypted.
            if !isHandshaking { writeFooter(&output) }
            output.append(.closeTransport)
            end(.requested, &output)
        case .established:
            state = .closing(deadline: now.advanced(by: closeTimeout))
            output.append(.progress(.closeRequested))
            if case .answer(let handled) = management.closing() { output.write(StreamMarkup.answer(handled)) }
            if management.isActive, management.unacknowledgedCount > 0 {
                // An earlier request may not be for everything that was sent since.
                management.requestSent()
                output.write(StreamMarkup.request)
            }
            writeFooter(&output)
        case .closing, .ended: break
        }
        return output.take()
    }

    /// One element as the only action.
    private func written(_ element: [UInt8]) -> [StreamAction] {
        [.write(framing.document(of: element))]
    }
}
