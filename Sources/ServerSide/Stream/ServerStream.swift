import SASLMechanisms
public import Waiting
public import XMLStreaming
import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// The server side of one client connection (RFC 6120), small but complete: the counterpart of `ClientStream` in tests.
///
/// It negotiates STARTTLS or uses a secured transport, registers accounts, authenticates, binds resources, manages and
/// resumes streams. It does not route stanzas, but passes them to its owner.
public struct ServerStream: ~Copyable, Sendable {
    struct Ground: Sendable {
        var tls: TLSInformation?
        var username: String?
        var standing: StreamFeature.Standing = []
    }

    struct Exchange: Sendable {
        let ground: Ground
        var mechanism: any SASLServerMechanism
        /// The `<authenticate/>` of XEP-0388 that started it; nil for the profile of RFC 6120.
        var request: XMLElement?
    }

    struct Bound: Sendable {
        let address: JID
        var standing: StreamFeature.Standing
    }

    enum State: ~Copyable {
        /// Waiting for the header of the client. → offering, ended
        case opening(Ground)
        /// Features were sent. → handshaking, authenticating, bound, ended
        case offering(Ground)
        /// `<proceed/>` was sent. → opening, ended
        case handshaking
        /// A SASL exchange is under way. → opening, offering, ended
        case authenticating(Exchange)
        /// Stanzas can be exchanged. → ended
        case bound(Bound)
        /// `.ended` was returned. Final.
        case ended
    }

    let configuration: ServerStreamConfiguration
    var parser: XMLStreamParser
    var management = StreamManagement()
    var state: State
    var actions: [ServerStreamAction] = []

    public init(configuration: ServerStreamConfiguration) {
        self.configuration = configuration
        parser = XMLStreamParser(limits: configuration.limits)
        switch configuration.encryption {
        case .direct(let tls): state = .opening(Ground(tls: tls, standing: .secured))
        case .startTLS: state = .opening(Ground())
        // Without encryption the server treats the connection as safe, as one behind a local socket may be.
        case .none: state = .opening(Ground(standing: .secured))
        }
    }
}

// MARK: - Events

extension ServerStream {
    /// Bytes were received and, with TLS, decrypted.
    public mutating func bytesReceived(
        _ bytes: [UInt8], directory: inout ServerDirectory, now: ContinuousInstant
    ) -> [ServerStreamAction] {
        guard isReading else { return [] }
        parser.append(bytes)
        while isReading {
            do throws(XMLError) {
                guard let event = try parser.next() else { break }
                switch event {
                case .streamOpened(let root): streamOpened(root, &directory)
                case .element(let element): elementReceived(element, &directory, now: now)
                // Only occurs if it was requested.
                case .unreadable: break
                case .streamClosed: streamClosed(&directory)
                }
            } catch {
                fail(StreamError.Condition(rawValue: error.streamErrorCondition) ?? .notWellFormed, &directory)
            }
        }
        return takeActions()
    }

    /// The TLS handshake requested by `.startTLS` succeeded.
    public mutating func tlsEstablished(_ tls: TLSInformation) {
        guard !isEnded else { return }
        guard phase == .handshaking else {
            preconditionFailure("TLS is established only after .startTLS was asked for")
        }
        parser = XMLStreamParser(limits: configuration.limits)
        state = .opening(Ground(tls: tls, standing: .secured))
    }

    /// The transport ended without closing the stream: a resumable session is stored in the directory.
    public mutating func transportClosed(directory: inout ServerDirectory) -> [ServerStreamAction] {
        guard !isEnded else { return [] }
        if let bound {
            if let session = management.resumptionState {
                directory.suspend(session)
                actions.append(.ended(.lost(suspended: session.id)))
            } else {
                directory.boundAddresses.remove(bound.address)
                actions.append(.ended(.lost(suspended: nil)))
            }
        } else {
            actions.append(.ended(.lost(suspended: nil)))
        }
        state = .ended
        return takeActions()
    }

    /// Sends a stanza to the client; it counts for stream management. Nothing is sent unless a resource is bound.
    public mutating func send(_ stanza: some XMLEncodable, token: StanzaToken) -> [ServerStreamAction] {
        guard isBound else { return [] }
        let bytes = StreamMarkup.bytes(of: stanza)
        write(bytes)
        if case .request = management.stanzaSent(token, bytes[...]) {
            write(StreamMarkup.request)
        }
        return takeActions()
    }

    /// Sends an element other than a stanza, or any other data of a test.
    public mutating func sendElement(_ element: some XMLEncodable) -> [ServerStreamAction] {
        write(StreamMarkup.bytes(of: element))
        return takeActions()
    }

    /// The owner has handled the oldest `count` stanzas that it received.
    public mutating func stanzasHandled(_ count: Int) -> [ServerStreamAction] {
        guard isBound else { return [] }
        if case .answer(let handled) = management.stanzasHandled(min(count, management.unconfirmedCount)) {
            write(StreamMarkup.answer(handled))
        }
        return takeActions()
    }

    /// Ends the stream, optionally with an error.
    public mutating func close(
        _ error: StreamError? = nil, directory: inout ServerDirectory
    ) -> [ServerStreamAction] {
        guard !isEnded else { return [] }
        if let error { write(StreamMarkup.streamError(error)) }
        finish(error.map { .error($0) } ?? .closed, &directory)
        return takeActions()
    }

    /// Whether a resource is bound and stanzas can be exchanged.
    public var isBound: Bool { bound != nil }

    /// Whether `.ended` was returned.
    public var isEnded: Bool { phase == .ended }

    /// The states by name.
    private enum Phase { case opening, offering, handshaking, authenticating, bound, ended }

    private var phase: Phase {
        switch state {
        case .opening: .opening
        case .offering: .offering
        case .handshaking: .handshaking
        case .authenticating: .authenticating
        case .bound: .bound
        case .ended: .ended
        }
    }

    private var isReading: Bool { phase != .handshaking && phase != .ended }

    /// The state of the connection before a resource is bound.
    private var ground: Ground? {
        switch state {
        case .opening(let ground): ground
        case .offering(let ground): ground
        case .handshaking: nil
        case .authenticating(let exchange): exchange.ground
        case .bound: nil
        case .ended: nil
        }
    }

    private var exchange: Exchange? {
        switch state {
        case .authenticating(let exchange): exchange
        case .opening: nil
        case .offering: nil
        case .handshaking: nil
        case .bound: nil
        case .ended: nil
        }
    }

    private var bound: Bound? {
        switch state {
        case .bound(let bound): bound
        case .opening: nil
        case .offering: nil
        case .handshaking: nil
        case .authenticating: nil
        case .ended: nil
        }
    }

    mutating func write(_ bytes: [UInt8]) {
        if case .write(let earlier)? = actions.last {
            actions[actions.count - 1] = .write(earlier + bytes)
        } else {
            actions.append(.write(bytes))
        }
    }

    private mutating func takeActions() -> [ServerStreamAction] {
        let result = actions
        actions = []
        return result
    }
}

// MARK: - The stream

extension ServerStream {
    private mutating func streamOpened(_ root: XMLElement, _ directory: inout ServerDirectory) {
        let id = "\(configuration.nonce)-\(directory.nextNumber())"
        write(StreamMarkup.header(from: configuration.domain, id: id, version: "1.0"))
        do throws(StreamFailure) {
            let header = try StreamHeader(root, contentNamespace: parser.contentNamespace)
            guard header.to == nil || header.to == configuration.domain else {
                fail(.hostUnknown, &directory)
                return
            }
        } catch {
            fail(error.code == .notXMPP ? .invalidNamespace : .unsupportedVersion, &directory)
            return
        }
        guard phase == .opening, let ground else {
            preconditionFailure("the parser reported a second stream header")
        }
        state = .offering(ground)
        offer(at: ground.standing)
    }

    mutating func offer(at standing: StreamFeature.Standing) {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(StreamName.features)
        // After the login, the features after binding are offered together with it.
        for feature in configuration.offered.offerable(
            at: standing.union(standing.contains(.authenticated) ? .bound : []))
        where feature.step != .startTLS || configuration.encryption == .startTLS {
            switch feature.step {
            case .startTLS, .register, .resume, .manage: writer.element(feature.name)
            case .authenticateExtensibly:
                offerExtensibleLogin(&writer)
                if !configuration.offered.features.contains(.sasl) { offerChannelBindings(&writer) }
            case .bind, .bindOtherwise, .useToken, .resumeInline, .bindInline: break
            case .authenticate:
                writer.element(feature.name) { writer in
                    for name in configuration.mechanisms {
                        writer.element(StreamName.mechanism, text: name.rawValue)
                    }
                }
                offerChannelBindings(&writer)
            case .startSession:
                writer.element(feature.name) { writer in
                    if !configuration.requiresSession { writer.element(StreamName.sessionOptional) }
                }
            }
        }
        if standing.contains(.authenticated), !standing.contains(.bound),
            configuration.offered.features.contains(.binding)
        {
            writer.element(StreamName.bind)
        }
        for element in configuration.extraFeatures { writer.write(element) }
        writer.end()
        write(writer.takeBytes())
    }

    private func offerChannelBindings(_ writer: inout XMLWriter) {
        guard let types = configuration.channelBindingTypes else { return }
        writer.element(StreamName.channelBindings) { writer in
            for type in types {
                writer.start(StreamName.channelBinding)
                writer.attribute("type", type)
                writer.end()
            }
        }
    }

    private func offerExtensibleLogin(_ writer: inout XMLWriter) {
        let inline = configuration.offered.features
        writer.element(StreamName.authentication) { writer in
            for name in configuration.mechanisms { writer.element(StreamName.offeredMechanism, text: name.rawValue) }
            writer.element(StreamName.inline) { writer in
                if inline.contains(.inlineResumption) { writer.element(StreamName.management) }
                if inline.contains(.bind2) {
                    writer.element(StreamName.bind2) { writer in
                        writer.element(StreamName.bind2Inline) { writer in
                            for feature in configuration.inlineBindFeatures {
                                writer.start(StreamName.bind2Feature)
                                writer.attribute("var", feature)
                                writer.end()
                            }
                        }
                    }
                }
                if inline.contains(.fast) {
                    writer.element(StreamName.fast) { writer in
                        for name in configuration.tokenMechanisms {
                            writer.element(StreamName.fastMechanism, text: name.rawValue)
                        }
                    }
                }
            }
        }
    }

    private mutating func elementReceived(
        _ element: XMLElement, _ directory: inout ServerDirectory, now: ContinuousInstant
    ) {
        if element.isNamed(StreamName.error) {
            let error = (try? StreamError(from: element)) ?? StreamError(.undefinedCondition)
            finish(.peerError(error), &directory)
            return
        }
        if let exchange, exchange.request != nil {
            extensibleElementReceived(element, exchange, &directory)
        } else if let exchange {
            saslElementReceived(element, exchange, &directory)
        } else if let ground {
            requestReceived(element, ground, &directory)
        } else if let bound {
            boundElementReceived(element, bound, &directory, now: now)
        } else {
            preconditionFailure("an element was read where no stream is open")
        }
    }

    private mutating func boundElementReceived(
        _ element: XMLElement, _ bound: Bound, _ directory: inout ServerDirectory, now: ContinuousInstant
    ) {
        if element.isNamed(StreamName.iq), element.firstChild(StreamName.session) != nil {
            answer(element)
        } else if element.isStanza {
            management.stanzasReceived()
            if case .stanzas(let earlier)? = actions.last {
                actions[actions.count - 1] = .stanzas(earlier + [element])
            } else {
                actions.append(.stanzas([element]))
            }
        } else {
            controlReceived(element, bound, &directory, now: now)
        }
    }

    private mutating func streamClosed(_ directory: inout ServerDirectory) {
        finish(.closed, &directory)
    }

    /// Ends the stream because of an error of the client.
    mutating func fail(_ condition: StreamError.Condition, _ directory: inout ServerDirectory) {
        let error = StreamError(condition)
        write(StreamMarkup.streamError(error))
        finish(.error(error), &directory)
    }

    private mutating func finish(_ end: ServerStreamAction.End, _ directory: inout ServerDirectory) {
        if let bound { directory.boundAddresses.remove(bound.address) }
        state = .ended
        write(StreamMarkup.footer)
        actions.append(.closeTransport)
        actions.append(.ended(end))
    }
}

// MARK: - Requests before a resource is bound

extension ServerStream {
    private mutating func requestReceived(
        _ element: XMLElement, _ ground: Ground, _ directory: inout ServerDirectory
    ) {
        let step = Self.step(of: element)
        let possible = configuration.supported.offerable(at: ground.standing).map(\.step)
        guard let step, possible.contains(step) else {
            refuse(element, step, &directory)
            return
        }
        switch step {
        case .startTLS:
            guard configuration.encryption == .startTLS else {
                refuse(element, step, &directory)
                return
            }
            write(StreamMarkup.proceed)
            actions.append(.startTLS)
            state = .handshaking
        case .register: registrationReceived(element, &directory)
        case .authenticate: authenticate(element, ground, &directory)
        case .authenticateExtensibly: authenticateExtensibly(element, ground, &directory)
        case .bind: bind(element, ground, &directory)
        case .resume: resume(element, ground, &directory)
        case .startSession, .manage, .bindOtherwise, .useToken, .resumeInline, .bindInline:
            refuse(element, step, &directory)
        }
    }

    /// The step of the negotiation that an element requests.
    private static func step(of element: XMLElement) -> StreamFeature.Step? {
        if element.isNamed(StreamName.startTLS) { return .startTLS }
        if element.isNamed(StreamName.auth) { return .authenticate }
        if element.isNamed(StreamName.authenticate) { return .authenticateExtensibly }
        if element.isNamed(StreamName.resume) { return .resume }
        if element.isNamed(StreamName.enable) { return .manage }
        guard element.isNamed(StreamName.iq) else { return nil }
        if element.firstChild(StreamName.bind) != nil { return .bind }
        if element.firstChild(StreamName.session) != nil { return .startSession }
        if element.firstChild(StreamName.registration) != nil { return .register }
        return nil
    }

    private mutating func refuse(
        _ element: XMLElement, _ step: StreamFeature.Step?, _ directory: inout ServerDirectory
    ) {
        switch step {
        case .startTLS:
            write(StreamMarkup.element(StreamName.tlsFailure))
            finish(.closed, &directory)
        case .authenticate: write(StreamMarkup.saslFailure(.encryptionRequired))
        case .authenticateExtensibly: write(StreamMarkup.extensibleFailure(.encryptionRequired))
        case .resume, .manage: write(StreamMarkup.failed(.unexpectedRequest, handled: nil))
        case .bind, .bindOtherwise, .register, .startSession, .useToken, .resumeInline, .bindInline, nil:
            fail(.notAuthorized, &directory)
        }
    }

    private mutating func registrationReceived(_ element: XMLElement, _ directory: inout ServerDirectory) {
        guard element["type"] == "set", let query = element.firstChild(StreamName.registration) else {
            answer(element) { writer in
                writer.element(StreamName.registration) { writer in
                    writer.element(XMLName("username", StreamNamespace.registration))
                    writer.element(XMLName("password", StreamNamespace.registration))
                }
            }
            return
        }
        let username = query.firstChild(XMLName("username", StreamNamespace.registration))?.text ?? ""
        let password = query.firstChild(XMLName("password", StreamNamespace.registration))?.text ?? ""
        guard !password.isEmpty, let address = try? JID(local: username, domain: configuration.domain),
            let local = address.local
        else {
            answer(element, error: .notAcceptable)
            return
        }
        guard directory.passwords[local] == nil else {
            answer(element, error: .conflict)
            return
        }
        directory.passwords[local] = password
        answer(element)
        actions.append(.registered(username: local))
    }

    private mutating func bind(_ element: XMLElement, _ ground: Ground, _ directory: inout ServerDirectory) {
        let requested = element.firstChild(StreamName.bind)?.firstChild(StreamName.resource)?.text
        let resource = requested ?? "r\(directory.nextNumber())"
        guard let username = ground.username,
            let address = try? JID(local: username, domain: configuration.domain, resource: resource)
        else {
            answer(element, error: .badRequest)
            return
        }
        guard !directory.boundAddresses.contains(address) else {
            answer(element, error: .conflict)
            return
        }
        directory.boundAddresses.insert(address)
        state = .bound(Bound(address: address, standing: ground.standing.union(.bound)))
        answer(element) { writer in
            writer.element(StreamName.bind) { $0.element(StreamName.jid, text: address.description) }
        }
        actions.append(.bound(address))
    }

    private mutating func answer(_ request: XMLElement, _ payload: (inout XMLWriter) -> Void = { _ in }) {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(StreamName.iq)
        writer.attribute("type", "result")
        writer.attribute("id", request["id"])
        payload(&writer)
        writer.end()
        write(writer.takeBytes())
    }

    private mutating func answer(_ request: XMLElement, error condition: StanzaError.Condition) {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(StreamName.iq)
        writer.attribute("type", "error")
        writer.attribute("id", request["id"])
        writer.write(StanzaError(condition))
        writer.end()
        write(writer.takeBytes())
    }
}

// MARK: - Stream management

extension ServerStream {
    private mutating func resume(
        _ element: XMLElement, _ ground: Ground, _ directory: inout ServerDirectory
    ) {
        guard let id = element["previd"], let handled = element.handledCount else {
            fail(.invalidXML, &directory)
            return
        }
        guard let session = directory.suspended[id], session.address.local == ground.username else {
            write(StreamMarkup.failed(.itemNotFound, handled: directory.expired[id]))
            return
        }
        management.resumeRequested(session)
        switch management.resumed(previousID: id, handled: handled) {
        case .resumed(let tokens, let replay, let address):
            directory.suspended[id] = nil
            state = .bound(Bound(address: address, standing: ground.standing.union([.bound, .managed])))
            write(StreamMarkup.resumed(previousID: id, handled: session.handledCount))
            actions.append(.resumed(address))
            if !tokens.isEmpty { actions.append(.acknowledged(tokens)) }
            for stanza in replay { write(stanza) }
            if !replay.isEmpty { write(StreamMarkup.request) }
        case .tooHigh(let handled, let sent):
            write(StreamMarkup.handledCountTooHigh(handled: handled, sent: sent))
            finish(.error(StreamError(.undefinedCondition)), &directory)
        case .unexpected:
            preconditionFailure("a session is kept under its own identifier")
        }
    }

    private mutating func controlReceived(
        _ element: XMLElement, _ bound: Bound, _ directory: inout ServerDirectory, now: ContinuousInstant
    ) {
        if element.isNamed(StreamName.enable) {
            enable(element, bound, &directory)
        } else if element.isNamed(StreamName.resume) {
            write(StreamMarkup.failed(.unexpectedRequest, handled: nil))
        } else if element.isNamed(StreamName.request) {
            switch management.acknowledgementRequested(now: now) {
            case .answer(let handled): write(StreamMarkup.answer(handled))
            case .later: break
            case .unexpected: actions.append(.element(element))
            }
        } else if element.isNamed(StreamName.answer), let handled = element.handledCount {
            switch management.acknowledgementReceived(handled: handled) {
            case .acknowledged(let tokens, let requestAgain):
                if !tokens.isEmpty { actions.append(.acknowledged(tokens)) }
                if requestAgain { write(StreamMarkup.request) }
            case .tooHigh(let handled, let sent):
                write(StreamMarkup.handledCountTooHigh(handled: handled, sent: sent))
                finish(.error(StreamError(.undefinedCondition)), &directory)
            case .unexpected: actions.append(.element(element))
            }
        } else {
            actions.append(.element(element))
        }
    }

    private mutating func enable(
        _ element: XMLElement, _ bound: Bound, _ directory: inout ServerDirectory
    ) {
        let isPossible = configuration.supported.features.contains(.management) && !bound.standing.contains(.managed)
        guard isPossible else {
            write(StreamMarkup.failed(.unexpectedRequest, handled: nil))
            return
        }
        let promise = makePromise(isWanted: element.isTrue("resume"), &directory)
        write(StreamMarkup.enabled(promise))
        management.enabledSent(promise, address: bound.address)
        state = .bound(Bound(address: bound.address, standing: bound.standing.union(.managed)))
    }

    func makePromise(isWanted: Bool, _ directory: inout ServerDirectory) -> StreamManagement.Promise {
        guard configuration.allowsResumption, isWanted else { return StreamManagement.Promise() }
        return StreamManagement.Promise(
            id: "sm-\(directory.nextNumber())", isResumable: true, maximumSeconds: configuration.maximumSeconds,
            location: configuration.location)
    }
}
