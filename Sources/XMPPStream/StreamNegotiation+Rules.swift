import SASLMechanisms
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas

extension StreamNegotiation {
    /// What follows from what: every rule gives the next state, so none can forget it.
    struct Rules: Sendable {
        let sharedConfiguration: SharedConfiguration
        var configuration: ClientStreamConfiguration { sharedConfiguration.value }
    }
}

extension StreamNegotiation.Rules {
    typealias State = StreamNegotiation.State
    typealias Action = StreamNegotiation.Action
    typealias Transition = StreamNegotiation.Transition
    typealias Clear = StreamNegotiation.Clear
    typealias Opening = StreamNegotiation.Opening
    typealias Offered = StreamNegotiation.Offered
    typealias Authenticating = StreamNegotiation.Authenticating
    typealias Authenticated = StreamNegotiation.Authenticated
    typealias Negotiated = StreamNegotiation.Negotiated
    typealias Binding = StreamNegotiation.Binding

    func transportConnected(tls: TLSInformation?, now: ContinuousInstant) -> Transition {
        if let tls { return open(on: ProtectedChannel(securedBy: tls), now: now) }
        if configuration.isComponent { return open(on: .trustedNetwork, now: now) }
        if let channel = ProtectedChannel(plaintextAllowedBy: configuration.tls) { return open(on: channel, now: now) }
        if configuration.tls == .directTLS {
            return Transition(to: .handshaking, [.progress(.securing), .secureTransport])
        }
        let pipelines = configuration.pipelinesStartTLS
        let opening: [Action] = [.progress(.negotiating), .openStream(from: nil)]
        return Transition(
            to: .openingInClear(Clear(isStartTLSSent: pipelines)),
            pipelines ? opening + [.write(StreamMarkup.startTLS)] : opening)
    }

    func open(on channel: ProtectedChannel, now: ContinuousInstant) -> Transition {
        let from = channel.tls == nil ? nil : senderAddress
        let opening: [Action] = [.progress(.negotiating), .openStream(from: from)]
        guard let (exchange, request) = earlyExchange(on: channel, now: now) else {
            return Transition(to: .opening(Opening(channel: channel)), opening)
        }
        return Transition(to: .opening(Opening(channel: channel, early: exchange)), opening + request)
    }

    func negotiator(on channel: ProtectedChannel) -> SASLNegotiator {
        SASLNegotiator(
            policy: configuration.mechanisms, security: channel.saslSecurity, digests: configuration.digests)
    }

    /// The account, where one is meant: who registers has none yet.
    var senderAddress: JID? {
        guard configuration.address.local != nil else { return nil }
        switch configuration.purpose {
        case .authenticate(let credentials): return credentials.isAnonymous ? nil : configuration.address.bare
        case .register, .component: return nil
        }
    }

    /// The failure if the address assigned by the server is not one of the authenticated account (RFC 6120 §7.6). An
    /// anonymous user gets any account that the server generates.
    func mismatch(of address: JID) -> StreamFailure? {
        guard let senderAddress, address.bare != senderAddress else { return nil }
        return StreamFailure(.accountMismatch, text: address.bare.description)
    }

    func headerReceived(
        _ root: XMLElement, _ contentNamespace: String, next: consuming State,
        then answer: (StreamHeader) throws(StreamFailure) -> [Action] = { _ in [] }
    ) -> Transition {
        do throws(StreamFailure) {
            let header = try StreamHeader(
                root, contentNamespace: contentNamespace, expecting: configuration.contentNamespace)
            // A server does not prove its name to a component, and an error of the server may follow the header of another domain.
            if !configuration.isComponent { try header.mustComeFrom(configuration.address.domain) }
            return Transition(to: next, try answer(header))
        } catch {
            switch error.code {
            case .notXMPP: return .failed(error, tell: .invalidNamespace)
            case .unsupportedVersion: return .failed(error, tell: .unsupportedVersion)
            default: return .failed(error)
            }
        }
    }

    /// An element that does not belong where it came. Stanzas and answers to questions that were not asked end the
    /// stream; what is unknown is reported, for a later protocol may send it to everybody.
    func misplaced(_ element: XMLElement, back previous: consuming State) -> Transition {
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
    func featuresInClearReceived(_ element: XMLElement) -> Transition {
        guard element.isNamed(StreamName.features) else { return misplaced(element, back: .awaitingFeaturesInClear) }
        // Demanded whether it was offered or not: a man in the middle could have removed the offer (§5.4.1).
        return Transition(
            to: .awaitingProceed(Clear(isStartTLSSent: true, areFeaturesSeen: true)), [.write(StreamMarkup.startTLS)])
    }

    func answerToStartTLSReceived(_ element: XMLElement, _ clear: Clear) -> Transition {
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
    func featuresReceived(_ element: XMLElement, _ opening: Opening, now: ContinuousInstant) -> Transition {
        guard element.isNamed(StreamName.features) else { return misplaced(element, back: .awaitingFeatures(opening)) }
        let offered = Offered(channel: opening.channel, features: StreamFeatures(element: element))
        let opened = Action.progress(.opened(offered.features))
        if var early = opening.early {
            early.features = offered.features
            return Transition(to: .authenticatingExtensibly(early), [opened])
        }
        switch configuration.purpose {
        case .register:
            return Transition(to: .registering(offered), [opened, .readyToRegister(offered.features)])
        case .authenticate(let credentials):
            return authenticate(with: credentials, offered, now: now).after([opened])
        case .component:
            preconditionFailure("a component presents its secret without waiting for features")
        }
    }

    /// Only answers are let through: before authentication the server has nothing to ask.
    func registrationElementReceived(_ element: XMLElement, _ offered: Offered) -> Transition {
        if element.isNamed(StreamName.iq), element["type"] == "result" || element["type"] == "error" {
            return Transition(to: .registering(offered), [.stanza(element)])
        }
        return misplaced(element, back: .registering(offered))
    }

    func authenticate(
        with credentials: SASLCredentials, _ offered: Offered, mayUseToken: Bool = true, now: ContinuousInstant
    ) -> Transition {
        let next = configuration.plan.next(
            offered: offered.features, standing: .secured, skipping: [.startTLS, .register])
        switch next?.step {
        case .authenticateExtensibly:
            return authenticateExtensibly(with: credentials, offered, mayUseToken: mayUseToken, now: now)
        case .authenticate:
            return authenticateClassically(with: credentials, offered)
        default:
            return .failed(StreamFailure(.authenticationNotOffered))
        }
    }

    /// Logs in by RFC 6120 §6.
    func authenticateClassically(
        with credentials: SASLCredentials, _ offered: Offered, tried: Set<SASLMechanismName> = []
    ) -> Transition {
        let offer = SASLOffer(
            mechanisms: offered.features.mechanisms ?? [], channelBindings: offered.features.channelBindingTypes)
        let negotiator = negotiator(on: offered.channel)
        do throws(SASLError) {
            let selection = try negotiator.select(from: offer, for: credentials, tried: tried)
            var mechanism = try negotiator.makeClient(
                for: selection, credentials: credentials, nonce: nonce(attempt: tried.count), offer: offer)
            let initialResponse = try mechanism.start()
            let name = mechanism.name.rawValue
            return Transition(
                to: .authenticating(
                    Authenticating(offered: offered, credentials: credentials, mechanism: mechanism, tried: tried)),
                [
                    .progress(.authenticating(mechanism: name)),
                    .write(StreamMarkup.authenticate(mechanism: name, initialResponse: initialResponse)),
                ])
        } catch {
            return .failed(StreamFailure(error))
        }
    }

    func saslElementReceived(_ element: XMLElement, _ exchange: Authenticating) -> Transition {
        if element.isNamed(StreamName.saslFailure) {
            let failure = StreamFailure(saslFailure: element)
            guard failure.saslCondition?.allowsAnotherMechanism == true else { return .failed(failure) }
            return authenticateClassically(
                with: exchange.credentials, exchange.offered, tried: exchange.tried.union([exchange.mechanism.name])
            ).orFailed(failure)
        }
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
        let opening: [Action] = [.progress(.authenticated), .restartStream, .openStream(from: senderAddress)]
        // Resumption precedes binding, and the features state whether it is possible.
        let pipelines =
            configuration.pipelinesBinding && configuration.resumption == nil && configuration.plan.customBinding == nil
        let authenticated = Authenticated(exchange, isBindSent: pipelines)
        return Transition(
            to: .reopening(authenticated),
            pipelines ? opening + bindRequest(resource: configuration.address.resource) : opening)
    }

    /// `<abort/>` (§6.4.4) where the server still waits for us; after its success there is nothing left to abort.
    func abort(_ failure: StreamFailure, whileExchanging: Bool) -> Transition {
        Transition.failed(failure).after(whileExchanging ? [.write(StreamMarkup.element(StreamName.abort))] : [])
    }
}

// MARK: - Binding and stream management (RFC 6120 §7, XEP-0198)

extension StreamNegotiation.Rules {
    static let sessionID = "session-1"

    func finalFeaturesReceived(
        _ element: XMLElement, _ authenticated: Authenticated, now: ContinuousInstant
    ) -> Transition {
        guard element.isNamed(StreamName.features) else {
            return misplaced(element, back: .awaitingFinalFeatures(authenticated))
        }
        let negotiated = Negotiated(authenticated, features: StreamFeatures(element: element))
        return authenticated.isBindSent
            ? Transition(to: .binding(firstBinding(negotiated))) : proceed(negotiated, now: now)
    }

    /// Starts the next feature of the plan, or ends.
    func proceed(_ negotiated: Negotiated, now: ContinuousInstant) -> Transition {
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
        case .bindOtherwise:
            return bindOtherwise(negotiated, now: now)
        case .startSession:
            return Transition(to: .startingSession(negotiated), [.write(StreamMarkup.session(id: Self.sessionID))])
        case .manage:
            let request = StreamMarkup.enable(resumable: configuration.requestsResumption)
            return Transition(to: .enabling(negotiated), [.write(request), .enableSent])
        case .startTLS, .register, .authenticate, .authenticateExtensibly, .bindInline, .resumeInline, .useToken, nil:
            guard let address = negotiated.address else { return .failed(StreamFailure(.bindingRefused)) }
            return Transition(to: .finished, [.established(address: address, negotiated.ready)])
        }
    }

    func bind(_ binding: Binding) -> Transition {
        let request = bindRequest(attempt: binding.attempt, resource: binding.resource)
        return Transition(to: .binding(binding), request)
    }

    func bindRequest(attempt: Int = 1, resource: String?) -> [Action] {
        let request = StreamMarkup.bind(id: StreamNegotiation.bindID(attempt), resource: resource)
        return [.progress(.binding(resource: resource)), .write(request)]
    }

    func firstBinding(_ negotiated: Negotiated) -> Binding {
        var alternatives: [String] = []
        if case .tryAlternatives(let resources) = configuration.resourceConflict { alternatives = resources }
        return Binding(negotiated: negotiated, resource: configuration.address.resource, alternatives: alternatives)
    }

    func answerToResumeReceived(
        _ element: XMLElement, _ negotiated: Negotiated, deadline: ContinuousInstant,
        now: ContinuousInstant
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

    func answerToBindReceived(
        _ element: XMLElement, _ binding: Binding, now: ContinuousInstant
    ) -> Transition {
        guard element.isAnswer(to: binding.id) else { return misplaced(element, back: .binding(binding)) }
        if element["type"] == "error" { return bindingRefused(element, binding) }
        var negotiated = binding.negotiated
        guard let text = element.firstChild(StreamName.bind)?.firstChild(StreamName.jid)?.text,
            let address = try? JID(text.trimmingXMLWhitespace()), !address.isBare
        else {
            return .failed(StreamFailure(.bindingRefused))
        }
        if let failure = mismatch(of: address) { return .failed(failure) }
        negotiated.address = address
        negotiated.standing.insert(.bound)
        return proceed(negotiated, now: now).after([.progress(.bound(address))])
    }

    func bindingRefused(_ element: XMLElement, _ binding: Binding) -> Transition {
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

    func answerToSessionReceived(
        _ element: XMLElement, _ negotiated: Negotiated, now: ContinuousInstant
    ) -> Transition {
        guard element.isAnswer(to: Self.sessionID, for: negotiated.address) else {
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

    func answerToEnableReceived(
        _ element: XMLElement, _ negotiated: Negotiated, now: ContinuousInstant
    ) -> Transition {
        var negotiated = negotiated
        if element.isNamed(StreamName.enabled), let address = negotiated.address {
            negotiated.standing.insert(.managed)
            let promise = StreamManagement.Promise(element)
            return proceed(negotiated, now: now).after([.enabled(promise, address: address)])
        }
        if element.isNamed(StreamName.failed) {
            negotiated.finished.insert(.manage)
            return proceed(negotiated, now: now).after([.enableRefused])
        }
        return boundElementReceived(element, back: .enabling(negotiated))
    }

    /// Once a resource is bound the server may send stanzas at any time.
    func boundElementReceived(_ element: XMLElement, back previous: consuming StreamNegotiation.State)
        -> Transition
    {
        guard element.isStanza else { return misplaced(element, back: previous) }
        return Transition(to: previous, [.stanza(element)])
    }
}
