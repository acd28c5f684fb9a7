package import SASLMechanisms
package import XMLStreaming
package import XMPPAddress
package import XMPPStanzas

/// The client's way from a connected transport to a stream that carries stanzas (RFC 6120 §4.3, §5, §6, §7).
///
/// What the server said in clear is forgotten with the state that held it: every state after encryption is built from a
/// `ProtectedChannel` alone. Which feature comes next is read from the configuration's `NegotiationPlan`.
package struct StreamNegotiation: ~Copyable, Sendable {
    package enum Action: Equatable, Sendable {
        case write([UInt8])
        /// Nothing more may be parsed: what follows belongs to TLS.
        case secureTransport
        /// The next thing to parse is a new stream header, in a parser that knows nothing.
        case restartStream
        case progress(StreamProgress)
        case readyToRegister(StreamFeatures)
        case resourceConflict(String)
        /// A stanza for the owner.
        case stanza(XMLElement)
        /// An element that means nothing here.
        case element(XMLElement)
        /// `<resume/>` is being written for this session.
        case resumeSent(ResumptionState)
        /// `<resumed/>` came: the negotiation is over if stream management agrees.
        case resumed(previousID: String, handled: UInt32, Ready)
        /// `<failed/>` came in answer to `<resume/>`.
        case resumptionRefused(handled: UInt32?)
        case enableSent
        case enabled(StreamManagement.Promise, address: JID)
        case enableRefused
        /// Stanzas flow.
        case established(address: JID, Ready)
        /// The stream cannot go on; the condition, if any, is for the server.
        case failed(StreamFailure, tell: StreamError.Condition?)
    }

    /// What is true once the account is authenticated and the features of the new stream are known.
    package struct Ready: Equatable, Sendable {
        package let tls: TLSInformation?
        package let mechanism: String
        package let features: StreamFeatures
    }

    /// The next state and what to do on the way to it.
    fileprivate struct Transition: ~Copyable {
        let state: State
        let actions: [Action]

        init(to state: consuming State, _ actions: [Action] = []) {
            self.state = state
            self.actions = actions
        }

        /// The same with something to do before.
        consuming func after(_ earlier: [Action]) -> Transition {
            let all = earlier + actions
            return Transition(to: state, all)
        }

        static func failed(_ failure: StreamFailure, tell condition: StreamError.Condition? = nil) -> Transition {
            Transition(to: .finished, [.failed(failure, tell: condition)])
        }
    }

    fileprivate struct Clear {
        /// `<starttls/>` went out together with the header.
        var isStartTLSSent: Bool
        var areFeaturesSeen = false
    }

    fileprivate struct Offered {
        let channel: ProtectedChannel
        let features: StreamFeatures
    }

    fileprivate struct Authenticating {
        let channel: ProtectedChannel
        var mechanism: any SASLClientMechanism
    }

    fileprivate struct Authenticated {
        let tls: TLSInformation?
        let mechanism: String
        /// The request for a resource went out together with the header.
        let isBindSent: Bool

        init(_ exchange: Authenticating, isBindSent: Bool) {
            self.isBindSent = isBindSent
            tls = exchange.channel.tls
            mechanism = exchange.mechanism.name.rawValue
        }
    }

    fileprivate struct Negotiated {
        let ready: Ready
        var standing: StreamFeature.Standing
        var finished: Set<StreamFeature.Step> = []
        var address: JID?

        init(_ authenticated: Authenticated, features: StreamFeatures) {
            ready = Ready(tls: authenticated.tls, mechanism: authenticated.mechanism, features: features)
            standing = [.secured, .authenticated]
        }
    }

    fileprivate struct Binding {
        let negotiated: Negotiated
        var attempt = 1
        var resource: String?
        var alternatives: [String]

        var id: String { StreamNegotiation.bindID(attempt) }
    }

    fileprivate enum State: ~Copyable {
        /// Nothing was written. → openingInClear, opening, handshaking
        case initial
        /// Our header is out, unencrypted. → awaitingFeaturesInClear, awaitingProceed
        case openingInClear(Clear)
        /// The server's header came. → awaitingProceed
        case awaitingFeaturesInClear
        /// STARTTLS was demanded. → handshaking
        case awaitingProceed(Clear)
        /// The transport is doing TLS. Nothing that was learnt in clear is left. → opening
        case handshaking
        /// Our header is out on a protected channel. → awaitingFeatures
        case opening(ProtectedChannel)
        /// The server's header came. → registering, authenticating
        case awaitingFeatures(ProtectedChannel)
        /// The owner exchanges registration requests. → authenticating
        case registering(Offered)
        /// A SASL exchange is under way. → reopening
        case authenticating(Authenticating)
        /// The account is authenticated and our new header is out. → awaitingFinalFeatures
        case reopening(Authenticated)
        /// The server's header came. → resuming, binding
        case awaitingFinalFeatures(Authenticated)
        /// `<resume/>` is out. → finished, binding
        case resuming(Negotiated, deadline: ContinuousClock.Instant)
        /// A resource was asked for. → choosingResource, startingSession, enabling, finished
        case binding(Binding)
        /// The resource is in use and the owner was asked. → binding
        case choosingResource(Binding)
        /// The session of RFC 3921 was asked for. → enabling, finished
        case startingSession(Negotiated)
        /// `<enable/>` is out. → finished
        case enabling(Negotiated)
        /// Stanzas flow, or the stream failed. Final.
        case finished
    }

    fileprivate static func bindID(_ attempt: Int) -> String { "bind-\(attempt)" }

    private let rules: Rules
    private var state: State

    package init(configuration: ClientStreamConfiguration) {
        self.init(Rules(configuration: configuration), .initial)
    }

    private init(_ rules: Rules, _ state: consuming State) {
        self.rules = rules
        self.state = state
    }
}

// MARK: - Events

extension StreamNegotiation {
    /// The transport is connected; `tls` says that it was secured on the way (XEP-0368).
    package mutating func transportConnected(tls: TLSInformation?) -> [Action] {
        let rules = rules
        let next: Transition
        switch consume state {
        case .initial: next = rules.transportConnected(tls: tls)
        case .openingInClear: Self.outOfOrder()
        case .awaitingFeaturesInClear: Self.outOfOrder()
        case .awaitingProceed: Self.outOfOrder()
        case .handshaking: Self.outOfOrder()
        case .opening: Self.outOfOrder()
        case .awaitingFeatures: Self.outOfOrder()
        case .registering: Self.outOfOrder()
        case .authenticating: Self.outOfOrder()
        case .reopening: Self.outOfOrder()
        case .awaitingFinalFeatures: Self.outOfOrder()
        case .resuming: Self.outOfOrder()
        case .binding: Self.outOfOrder()
        case .choosingResource: Self.outOfOrder()
        case .startingSession: Self.outOfOrder()
        case .enabling: Self.outOfOrder()
        case .finished: Self.outOfOrder()
        }
        let actions = next.actions
        self = Self(rules, next.state)
        return actions
    }

    /// The TLS handshake succeeded and the certificate was accepted.
    package mutating func tlsEstablished(_ tls: TLSInformation) -> [Action] {
        let rules = rules
        let next: Transition
        switch consume state {
        case .handshaking:
            next = rules.open(on: ProtectedChannel(securedBy: tls)).after([.progress(.secured(tls))])
        case .initial: Self.outOfOrder()
        case .openingInClear: Self.outOfOrder()
        case .awaitingFeaturesInClear: Self.outOfOrder()
        case .awaitingProceed: Self.outOfOrder()
        case .opening: Self.outOfOrder()
        case .awaitingFeatures: Self.outOfOrder()
        case .registering: Self.outOfOrder()
        case .authenticating: Self.outOfOrder()
        case .reopening: Self.outOfOrder()
        case .awaitingFinalFeatures: Self.outOfOrder()
        case .resuming: Self.outOfOrder()
        case .binding: Self.outOfOrder()
        case .choosingResource: Self.outOfOrder()
        case .startingSession: Self.outOfOrder()
        case .enabling: Self.outOfOrder()
        case .finished: Self.outOfOrder()
        }
        let actions = next.actions
        self = Self(rules, next.state)
        return actions
    }

    /// The server's stream header was read; `contentNamespace` is the one it declares for elements without a prefix.
    package mutating func streamOpened(_ root: XMLElement, contentNamespace: String) -> [Action] {
        let rules = rules
        let next: Transition
        switch consume state {
        case .openingInClear(let clear):
            next = rules.headerReceived(
                root, contentNamespace, next: clear.isStartTLSSent ? .awaitingProceed(clear) : .awaitingFeaturesInClear)
        case .opening(let channel):
            next = rules.headerReceived(root, contentNamespace, next: .awaitingFeatures(channel))
        case .reopening(let authenticated):
            next = rules.headerReceived(root, contentNamespace, next: .awaitingFinalFeatures(authenticated))
        case .initial: Self.outOfOrder()
        case .awaitingFeaturesInClear: Self.outOfOrder()
        case .awaitingProceed: Self.outOfOrder()
        case .handshaking: Self.outOfOrder()
        case .awaitingFeatures: Self.outOfOrder()
        case .registering: Self.outOfOrder()
        case .authenticating: Self.outOfOrder()
        case .awaitingFinalFeatures: Self.outOfOrder()
        case .resuming: Self.outOfOrder()
        case .binding: Self.outOfOrder()
        case .choosingResource: Self.outOfOrder()
        case .startingSession: Self.outOfOrder()
        case .enabling: Self.outOfOrder()
        case .finished: Self.outOfOrder()
        }
        let actions = next.actions
        self = Self(rules, next.state)
        return actions
    }

    /// An element was read at the top level of the stream; stream errors are the owner's.
    package mutating func elementReceived(_ element: XMLElement, now: ContinuousClock.Instant) -> [Action] {
        let rules = rules
        let next: Transition
        switch consume state {
        case .awaitingFeaturesInClear:
            next = rules.featuresInClearReceived(element)
        case .awaitingProceed(let clear):
            next = rules.answerToStartTLSReceived(element, clear)
        case .awaitingFeatures(let channel):
            next = rules.featuresReceived(element, channel)
        case .registering(let offered):
            next = rules.registrationElementReceived(element, offered)
        case .authenticating(let exchange):
            next = rules.saslElementReceived(element, exchange)
        case .awaitingFinalFeatures(let authenticated):
            next = rules.finalFeaturesReceived(element, authenticated, now: now)
        case .resuming(let negotiated, let deadline):
            next = rules.answerToResumeReceived(element, negotiated, deadline: deadline, now: now)
        case .binding(let binding):
            next = rules.answerToBindReceived(element, binding, now: now)
        case .choosingResource(let binding):
            next = rules.misplaced(element, back: .choosingResource(binding))
        case .startingSession(let negotiated):
            next = rules.answerToSessionReceived(element, negotiated, now: now)
        case .enabling(let negotiated):
            next = rules.answerToEnableReceived(element, negotiated, now: now)
        case .initial: Self.outOfOrder()
        case .openingInClear: Self.outOfOrder()
        case .handshaking: Self.outOfOrder()
        case .opening: Self.outOfOrder()
        case .reopening: Self.outOfOrder()
        case .finished: Self.outOfOrder()
        }
        let actions = next.actions
        self = Self(rules, next.state)
        return actions
    }

    /// Registration is over and the owner wants to log in on the same stream.
    package mutating func authenticate(_ credentials: SASLCredentials) -> [Action] {
        let rules = rules
        let next: Transition
        switch consume state {
        case .registering(let offered): next = rules.authenticate(with: credentials, offered)
        case .initial: Self.outOfOrder()
        case .openingInClear: Self.outOfOrder()
        case .awaitingFeaturesInClear: Self.outOfOrder()
        case .awaitingProceed: Self.outOfOrder()
        case .handshaking: Self.outOfOrder()
        case .opening: Self.outOfOrder()
        case .awaitingFeatures: Self.outOfOrder()
        case .authenticating: Self.outOfOrder()
        case .reopening: Self.outOfOrder()
        case .awaitingFinalFeatures: Self.outOfOrder()
        case .resuming: Self.outOfOrder()
        case .binding: Self.outOfOrder()
        case .choosingResource: Self.outOfOrder()
        case .startingSession: Self.outOfOrder()
        case .enabling: Self.outOfOrder()
        case .finished: Self.outOfOrder()
        }
        let actions = next.actions
        self = Self(rules, next.state)
        return actions
    }

    /// The owner's answer to `.resourceConflict`; nil lets the server choose.
    package mutating func useResource(_ resource: String?) -> [Action] {
        let rules = rules
        let next: Transition
        switch consume state {
        case .choosingResource(var binding):
            binding.resource = resource
            next = rules.bind(binding)
        case .initial: Self.outOfOrder()
        case .openingInClear: Self.outOfOrder()
        case .awaitingFeaturesInClear: Self.outOfOrder()
        case .awaitingProceed: Self.outOfOrder()
        case .handshaking: Self.outOfOrder()
        case .opening: Self.outOfOrder()
        case .awaitingFeatures: Self.outOfOrder()
        case .registering: Self.outOfOrder()
        case .authenticating: Self.outOfOrder()
        case .reopening: Self.outOfOrder()
        case .awaitingFinalFeatures: Self.outOfOrder()
        case .resuming: Self.outOfOrder()
        case .binding: Self.outOfOrder()
        case .startingSession: Self.outOfOrder()
        case .enabling: Self.outOfOrder()
        case .finished: Self.outOfOrder()
        }
        let actions = next.actions
        self = Self(rules, next.state)
        return actions
    }

    /// The server did not answer `<resume/>` in time.
    package mutating func deadlinePassed(now: ContinuousClock.Instant) -> [Action] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        self = Self(rules, .finished)
        return [.failed(StreamFailure(.resumptionTimedOut), tell: nil)]
    }

    /// An event that is impossible in this state. The parser gives a header first, then elements and no second header, and
    /// handshake, credentials and resource are asked for by an action, once; so only the owner can have mixed them up.
    private static func outOfOrder() -> Never {
        preconditionFailure("an event was reported in a state that cannot have it")
    }
}

// MARK: - What can be read

extension StreamNegotiation {
    /// The states by name, for the owner's decisions.
    package enum Phase: Equatable, Sendable, CaseIterable {
        case initial, openingInClear, awaitingFeaturesInClear, awaitingProceed, handshaking, opening, awaitingFeatures,
            registering
        case authenticating, reopening, awaitingFinalFeatures, resuming, binding, choosingResource, startingSession,
            enabling, finished
    }

    package var phase: Phase {
        switch state {
        case .initial: .initial
        case .openingInClear: .openingInClear
        case .awaitingFeaturesInClear: .awaitingFeaturesInClear
        case .awaitingProceed: .awaitingProceed
        case .handshaking: .handshaking
        case .opening: .opening
        case .awaitingFeatures: .awaitingFeatures
        case .registering: .registering
        case .authenticating: .authenticating
        case .reopening: .reopening
        case .awaitingFinalFeatures: .awaitingFinalFeatures
        case .resuming: .resuming
        case .binding: .binding
        case .choosingResource: .choosingResource
        case .startingSession: .startingSession
        case .enabling: .enabling
        case .finished: .finished
        }
    }

    /// When `deadlinePassed` wants to be called.
    package var nextDeadline: ContinuousClock.Instant? {
        switch state {
        case .resuming(_, let deadline): deadline
        case .initial: nil
        case .openingInClear: nil
        case .awaitingFeaturesInClear: nil
        case .awaitingProceed: nil
        case .handshaking: nil
        case .opening: nil
        case .awaitingFeatures: nil
        case .registering: nil
        case .authenticating: nil
        case .reopening: nil
        case .awaitingFinalFeatures: nil
        case .binding: nil
        case .choosingResource: nil
        case .startingSession: nil
        case .enabling: nil
        case .finished: nil
        }
    }
}

// MARK: - Rules

extension StreamNegotiation {
    /// What follows from what: every rule gives the next state, so none can forget it.
    fileprivate struct Rules: Sendable {
        let configuration: ClientStreamConfiguration
    }
}

extension StreamNegotiation.Rules {
    fileprivate typealias State = StreamNegotiation.State
    fileprivate typealias Transition = StreamNegotiation.Transition
    fileprivate typealias Action = StreamNegotiation.Action
    fileprivate typealias Clear = StreamNegotiation.Clear
    fileprivate typealias Offered = StreamNegotiation.Offered
    fileprivate typealias Authenticating = StreamNegotiation.Authenticating
    fileprivate typealias Authenticated = StreamNegotiation.Authenticated
    fileprivate typealias Negotiated = StreamNegotiation.Negotiated
    fileprivate typealias Binding = StreamNegotiation.Binding

    fileprivate func transportConnected(tls: TLSInformation?) -> Transition {
        if let tls { return open(on: ProtectedChannel(securedBy: tls)) }
        if let channel = ProtectedChannel(plaintextAllowedBy: configuration.tls) { return open(on: channel) }
        if configuration.tls == .directTLS {
            return Transition(to: .handshaking, [.progress(.securing), .secureTransport])
        }
        let header = StreamMarkup.header(to: configuration.address.domain, from: nil)
        let pipelines = configuration.pipelinesStartTLS
        return Transition(
            to: .openingInClear(Clear(isStartTLSSent: pipelines)),
            [.progress(.negotiating), .write(pipelines ? header + StreamMarkup.startTLS : header)])
    }

    fileprivate func open(on channel: ProtectedChannel) -> Transition {
        let from = channel.tls == nil ? nil : senderAddress
        let header = StreamMarkup.header(to: configuration.address.domain, from: from)
        return Transition(to: .opening(channel), [.progress(.negotiating), .write(header)])
    }

    /// The account, where one is meant: who registers has none yet.
    fileprivate var senderAddress: JID? {
        guard configuration.address.local != nil else { return nil }
        switch configuration.purpose {
        case .authenticate(let credentials): return credentials.isAnonymous ? nil : configuration.address.bare
        case .register: return nil
        }
    }

    fileprivate func headerReceived(_ root: XMLElement, _ contentNamespace: String, next: consuming State) -> Transition
    {
        do throws(StreamFailure) {
            _ = try StreamHeader(root, contentNamespace: contentNamespace)
            return Transition(to: next)
        } catch {
            return .failed(error, tell: error.code == .notXMPP ? .invalidNamespace : .unsupportedVersion)
        }
    }

    /// An element that does not belong where it came. Stanzas and answers to questions that were not asked end the
    /// stream; what is unknown is reported, for a later protocol may send it to everybody.
    fileprivate func misplaced(_ element: XMLElement, back previous: consuming State) -> Transition {
        let failure = StreamFailure(.unexpectedElement, text: element.name.description)
        if element.isStanza { return .failed(failure, tell: .notAuthorized) }
        if StreamName.negotiationNamespaces.contains(element.name.namespace) {
            return .failed(failure, tell: .policyViolation)
        }
        return Transition(to: previous, [.element(element)])
    }
}

// MARK: - Encryption (RFC 6120 §5)

extension StreamNegotiation.Rules {
    fileprivate func featuresInClearReceived(_ element: XMLElement) -> Transition {
        guard element.isNamed(StreamName.features) else { return misplaced(element, back: .awaitingFeaturesInClear) }
        // Demanded whether it was offered or not: somebody on the way could have taken the offer out (§5.4.1).
        return Transition(
            to: .awaitingProceed(Clear(isStartTLSSent: true, areFeaturesSeen: true)), [.write(StreamMarkup.startTLS)])
    }

    fileprivate func answerToStartTLSReceived(_ element: XMLElement, _ clear: Clear) -> Transition {
        if element.isNamed(StreamName.proceed) {
            return Transition(to: .handshaking, [.progress(.securing), .secureTransport])
        }
        if element.isNamed(StreamName.tlsFailure) { return .failed(StreamFailure(.encryptionRefused)) }
        if element.isNamed(StreamName.features), !clear.areFeaturesSeen {
            return Transition(to: .awaitingProceed(Clear(isStartTLSSent: true, areFeaturesSeen: true)))
        }
        return misplaced(element, back: .awaitingProceed(clear))
    }
}

// MARK: - Registration and authentication (XEP-0077 §3.1, RFC 6120 §6)

extension StreamNegotiation.Rules {
    fileprivate func featuresReceived(_ element: XMLElement, _ channel: ProtectedChannel) -> Transition {
        guard element.isNamed(StreamName.features) else { return misplaced(element, back: .awaitingFeatures(channel)) }
        let offered = Offered(channel: channel, features: StreamFeatures(element: element))
        let opened = Action.progress(.opened(offered.features))
        switch configuration.purpose {
        case .register:
            return Transition(to: .registering(offered), [opened, .readyToRegister(offered.features)])
        case .authenticate(let credentials):
            return authenticate(with: credentials, offered).after([opened])
        }
    }

    /// Only answers are let through: before authentication the server has nothing to ask.
    fileprivate func registrationElementReceived(_ element: XMLElement, _ offered: Offered) -> Transition {
        if element.isNamed(StreamName.iq), element["type"] == "result" || element["type"] == "error" {
            return Transition(to: .registering(offered), [.stanza(element)])
        }
        return misplaced(element, back: .registering(offered))
    }

    fileprivate func authenticate(with credentials: SASLCredentials, _ offered: Offered) -> Transition {
        let next = configuration.plan.next(
            offered: offered.features, standing: .secured, skipping: [.startTLS, .register])
        guard next?.step == .authenticate, let mechanisms = offered.features.mechanisms else {
            return .failed(StreamFailure(.authenticationNotOffered))
        }
        let offer = SASLOffer(mechanisms: mechanisms, channelBindings: offered.features.channelBindingTypes)
        let negotiator = SASLNegotiator(
            policy: configuration.mechanisms, security: offered.channel.saslSecurity, digests: configuration.digests)
        do throws(SASLError) {
            let selection = try negotiator.select(from: offer, for: credentials)
            var mechanism = try negotiator.makeClient(
                for: selection, credentials: credentials, nonce: configuration.nonce, offer: offer)
            let initialResponse = try mechanism.start()
            let name = mechanism.name.rawValue
            return Transition(
                to: .authenticating(Authenticating(channel: offered.channel, mechanism: mechanism)),
                [
                    .progress(.authenticating(mechanism: name)),
                    .write(StreamMarkup.authenticate(mechanism: name, initialResponse: initialResponse)),
                ])
        } catch {
            return .failed(StreamFailure(error))
        }
    }

    fileprivate func saslElementReceived(_ element: XMLElement, _ exchange: Authenticating) -> Transition {
        if element.isNamed(StreamName.saslFailure) { return .failed(StreamFailure(saslFailure: element)) }
        let isChallenge = element.isNamed(StreamName.challenge)
        guard isChallenge || element.isNamed(StreamName.success) else {
            return misplaced(element, back: .authenticating(exchange))
        }
        guard let data = StreamMarkup.data(of: element) else {
            return abort(StreamFailure(.authenticationMalformed), whileExchanging: isChallenge)
        }
        var exchange = exchange
        do throws(SASLError) {
            if isChallenge {
                let response = try exchange.mechanism.respond(to: data ?? [])
                return Transition(to: .authenticating(exchange), [.write(StreamMarkup.response(response))])
            }
            try exchange.mechanism.succeed(with: data)
        } catch {
            return abort(StreamFailure(error), whileExchanging: isChallenge)
        }
        let header = StreamMarkup.header(to: configuration.address.domain, from: senderAddress)
        let opening: [Action] = [.progress(.authenticated), .restartStream, .write(header)]
        // A session to resume comes before binding, and whether it can be resumed stands in the features.
        let pipelines = configuration.pipelinesBinding && configuration.resumption == nil
        let authenticated = Authenticated(exchange, isBindSent: pipelines)
        return Transition(
            to: .reopening(authenticated),
            pipelines ? opening + bindRequest(resource: configuration.address.resource) : opening)
    }

    /// `<abort/>` (§6.4.4) where the server still waits for us; after its success there is nothing left to abort.
    fileprivate func abort(_ failure: StreamFailure, whileExchanging: Bool) -> Transition {
        Transition.failed(failure).after(whileExchanging ? [.write(StreamMarkup.element(StreamName.abort))] : [])
    }
}

// MARK: - Binding and stream management (RFC 6120 §7, XEP-0198)

extension StreamNegotiation.Rules {
    fileprivate static let sessionID = "session-1"

    fileprivate func finalFeaturesReceived(
        _ element: XMLElement, _ authenticated: Authenticated, now: ContinuousClock.Instant
    ) -> Transition {
        guard element.isNamed(StreamName.features) else {
            return misplaced(element, back: .awaitingFinalFeatures(authenticated))
        }
        let negotiated = Negotiated(authenticated, features: StreamFeatures(element: element))
        return authenticated.isBindSent
            ? Transition(to: .binding(firstBinding(negotiated))) : proceed(negotiated, now: now)
    }

    /// Goes on with the next feature of the plan, or is done.
    fileprivate func proceed(_ negotiated: Negotiated, now: ContinuousClock.Instant) -> Transition {
        var negotiated = negotiated
        if configuration.resumption == nil { negotiated.finished.insert(.resume) }
        if !configuration.usesStreamManagement { negotiated.finished.formUnion([.resume, .manage]) }
        if !negotiated.ready.features.requiresSession { negotiated.finished.insert(.startSession) }
        let next = configuration.plan.next(
            offered: negotiated.ready.features, standing: negotiated.standing, skipping: negotiated.finished)
        switch next?.step {
        case .resume:
            guard let resumption = configuration.resumption else {
                preconditionFailure("resumption is skipped where there is nothing to resume")
            }
            let request = StreamMarkup.resume(previousID: resumption.id, handled: resumption.handledCount)
            return Transition(
                to: .resuming(negotiated, deadline: now.advanced(by: configuration.resumptionTimeout)),
                [.progress(.resuming), .resumeSent(resumption), .write(request)])
        case .bind:
            return bind(firstBinding(negotiated))
        case .startSession:
            return Transition(to: .startingSession(negotiated), [.write(StreamMarkup.session(id: Self.sessionID))])
        case .manage:
            let request = StreamMarkup.enable(resumable: configuration.requestsResumption)
            return Transition(to: .enabling(negotiated), [.write(request), .enableSent])
        case .startTLS, .register, .authenticate, nil:
            guard let address = negotiated.address else { return .failed(StreamFailure(.bindingRefused)) }
            return Transition(to: .finished, [.established(address: address, negotiated.ready)])
        }
    }

    fileprivate func bind(_ binding: Binding) -> Transition {
        let request = bindRequest(attempt: binding.attempt, resource: binding.resource)
        return Transition(to: .binding(binding), request)
    }

    fileprivate func bindRequest(attempt: Int = 1, resource: String?) -> [Action] {
        let request = StreamMarkup.bind(id: StreamNegotiation.bindID(attempt), resource: resource)
        return [.progress(.binding(resource: resource)), .write(request)]
    }

    fileprivate func firstBinding(_ negotiated: Negotiated) -> Binding {
        var alternatives: [String] = []
        if case .tryAlternatives(let resources) = configuration.resourceConflict { alternatives = resources }
        return Binding(negotiated: negotiated, resource: configuration.address.resource, alternatives: alternatives)
    }

    fileprivate func answerToResumeReceived(
        _ element: XMLElement, _ negotiated: Negotiated, deadline: ContinuousClock.Instant,
        now: ContinuousClock.Instant
    ) -> Transition {
        if element.isNamed(StreamName.resumed) {
            guard let previousID = element["previd"], let handled = element.handledCount else {
                return .failed(StreamFailure(.unexpectedElement, text: element.name.description), tell: .invalidXML)
            }
            return Transition(
                to: .finished, [.resumed(previousID: previousID, handled: handled, negotiated.ready)])
        }
        if element.isNamed(StreamName.failed) {
            var negotiated = negotiated
            negotiated.finished.insert(.resume)
            return proceed(negotiated, now: now).after([.resumptionRefused(handled: element.handledCount)])
        }
        return misplaced(element, back: .resuming(negotiated, deadline: deadline))
    }

    fileprivate func answerToBindReceived(
        _ element: XMLElement, _ binding: Binding, now: ContinuousClock.Instant
    ) -> Transition {
        guard element.isAnswer(to: binding.id) else { return misplaced(element, back: .binding(binding)) }
        if element["type"] == "error" { return bindingRefused(element, binding) }
        var negotiated = binding.negotiated
        guard let text = element.firstChild(StreamName.bind)?.firstChild(StreamName.jid)?.text,
            let address = try? JID(text.trimmingXMLWhitespace()), !address.isBare
        else {
            return .failed(StreamFailure(.bindingRefused))
        }
        negotiated.address = address
        negotiated.standing.insert(.bound)
        return proceed(negotiated, now: now).after([.progress(.bound(address))])
    }

    fileprivate func bindingRefused(_ element: XMLElement, _ binding: Binding) -> Transition {
        let error = element.stanzaError
        guard error.condition == .conflict, let resource = binding.resource else {
            return .failed(StreamFailure(.bindingRefused, stanzaError: error, text: error.text.best(for: [])))
        }
        var binding = binding
        binding.attempt += 1
        switch configuration.resourceConflict {
        case .tryAlternatives, .letServerChoose:
            binding.resource = binding.alternatives.isEmpty ? nil : binding.alternatives.removeFirst()
            return bind(binding)
        case .ask:
            return Transition(to: .choosingResource(binding), [.resourceConflict(resource)])
        case .fail:
            return .failed(StreamFailure(.resourceConflict, stanzaError: error, text: error.text.best(for: [])))
        }
    }

    fileprivate func answerToSessionReceived(
        _ element: XMLElement, _ negotiated: Negotiated, now: ContinuousClock.Instant
    ) -> Transition {
        guard element.isAnswer(to: Self.sessionID) else {
            return boundElementReceived(element, back: .startingSession(negotiated))
        }
        if element["type"] == "error" {
            let error = element.stanzaError
            return .failed(StreamFailure(.sessionRefused, stanzaError: error, text: error.text.best(for: [])))
        }
        var negotiated = negotiated
        negotiated.standing.insert(.sessionStarted)
        return proceed(negotiated, now: now)
    }

    fileprivate func answerToEnableReceived(
        _ element: XMLElement, _ negotiated: Negotiated, now: ContinuousClock.Instant
    ) -> Transition {
        var negotiated = negotiated
        if element.isNamed(StreamName.enabled), let address = negotiated.address {
            negotiated.standing.insert(.managed)
            let id = element["id"]
            let promise = StreamManagement.Promise(
                id: id, isResumable: element.isTrue("resume") && id != nil,
                maximumSeconds: element["max"].flatMap { Int($0) }, location: element["location"])
            return proceed(negotiated, now: now).after([.enabled(promise, address: address)])
        }
        if element.isNamed(StreamName.failed) {
            negotiated.finished.insert(.manage)
            return proceed(negotiated, now: now).after([.enableRefused])
        }
        return boundElementReceived(element, back: .enabling(negotiated))
    }

    /// Once a resource is bound the server may send stanzas at any time.
    fileprivate func boundElementReceived(_ element: XMLElement, back previous: consuming StreamNegotiation.State)
        -> Transition
    {
        guard element.isStanza else { return misplaced(element, back: previous) }
        return Transition(to: previous, [.stanza(element)])
    }
}
