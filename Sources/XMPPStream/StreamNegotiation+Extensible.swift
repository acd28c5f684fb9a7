import SASLMechanisms
import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas

extension StreamNegotiation {
    /// What travels together with a login (XEP-0388 §2.3): the requests that the server will grant in its `<success/>`.
    struct InlineRequest {
        var resumption: ResumptionState?
        var binds = false
        var managesStream = false
        var features: [BindRequest] = []
        /// Whether a token replaces the password.
        var usesToken = false
        /// The mechanism for which a token is asked for.
        var tokenMechanism: SASLMechanismName?
    }

    /// A login by XEP-0388.
    struct ExtensibleExchange {
        let channel: ProtectedChannel
        let credentials: SASLCredentials
        /// Nil as long as the server has not said what it offers: the login went out together with the header.
        var features: StreamFeatures?
        let offer: InlineOffer
        var mechanism: any SASLClientMechanism
        let request: InlineRequest
        /// The mechanisms that the server rejected on this connection.
        var tried: Set<SASLMechanismName>
        /// The timeout for the response of the server when a session is resumed: the node that has the session may
        /// hang.
        var deadline: ContinuousInstant?
    }

    /// `<success/>` came and resumed or bound no session; the features of the authenticated stream follow.
    struct Admitted {
        let tls: TLSInformation?
        let mechanism: String
        var shortcuts: LoginShortcuts
        /// The address, where it was bound inline.
        var address: JID?
        var isManaged = false
        /// The steps that need not be tried again.
        var finished: Set<StreamFeature.Step> = []
    }
}

// MARK: - The request (XEP-0388 §2.3)

extension StreamNegotiation.Rules {
    typealias ExtensibleExchange = StreamNegotiation.ExtensibleExchange
    typealias InlineRequest = StreamNegotiation.InlineRequest
    typealias Admitted = StreamNegotiation.Admitted

    /// A login with a token that may be sent before the server has responded: its offer is known from the last login.
    func earlyExchange(
        on channel: ProtectedChannel, now: ContinuousInstant
    ) -> (exchange: ExtensibleExchange, actions: [Action])? {
        guard case .authenticate(let credentials) = configuration.purpose, let token = configuration.fastToken,
            plans(.sasl2)
        else { return nil }
        return tokenExchange(token, credentials, channel, features: nil, offer: token.offer, now: now)
    }

    private func tokenExchange(
        _ token: FASTToken, _ credentials: SASLCredentials, _ channel: ProtectedChannel, features: StreamFeatures?,
        offer: InlineOffer, now: ContinuousInstant
    ) -> (exchange: ExtensibleExchange, actions: [Action])? {
        guard plans(.fast), configuration.userAgent != nil, senderAddress != nil,
            var mechanism = negotiator(on: channel).makeTokenClient(
                for: token.mechanism, username: credentials.username, token: token.token),
            let message = try? mechanism.start()
        else { return nil }
        var request = inlineRequest(offer, on: channel)
        request.usesToken = true
        request.tokenMechanism = nil
        return begin(
            ExtensibleExchange(
                channel: channel, credentials: credentials, features: features, offer: offer, mechanism: mechanism,
                request: request, tried: []),
            message, now: now)
    }

    /// Logs in by XEP-0388 with what the server offers.
    func authenticateExtensibly(
        with credentials: SASLCredentials, _ offered: Offered, tried: Set<SASLMechanismName> = [],
        mayUseToken: Bool = true, now: ContinuousInstant
    ) -> Transition {
        let inline = InlineOffer(offered.features)
        if mayUseToken, let token = configuration.fastToken,
            inline.tokenMechanisms?.contains(token.mechanism.rawValue) == true,
            let (exchange, actions) = tokenExchange(
                token, credentials, offered.channel, features: offered.features, offer: inline, now: now)
        {
            return Transition(to: .authenticatingExtensibly(exchange), actions)
        }
        let offer = SASLOffer(
            mechanisms: offered.features.extensibleMechanisms ?? [],
            channelBindings: offered.features.channelBindingTypes, mustListChannelBindings: true)
        let negotiator = negotiator(on: offered.channel)
        do throws(SASLError) {
            let selection = try negotiator.select(from: offer, for: credentials, tried: tried)
            var mechanism = try negotiator.makeClient(
                for: selection, credentials: credentials, nonce: nonce(attempt: tried.count), offer: offer)
            let message = try mechanism.start()
            let (exchange, actions) = begin(
                ExtensibleExchange(
                    channel: offered.channel, credentials: credentials, features: offered.features, offer: inline,
                    mechanism: mechanism, request: inlineRequest(inline, on: offered.channel), tried: tried),
                message, now: now)
            return Transition(to: .authenticatingExtensibly(exchange), actions)
        } catch {
            return .failed(StreamFailure(error))
        }
    }

    private func begin(
        _ exchange: ExtensibleExchange, _ message: [UInt8]?, now: ContinuousInstant
    ) -> (exchange: ExtensibleExchange, actions: [Action]) {
        var exchange = exchange
        let name = exchange.mechanism.name.rawValue
        exchange.deadline = answerDeadline(exchange.request, now: now)
        let markup = StreamMarkup.authenticate(
            mechanism: name, initialResponse: message, userAgent: configuration.userAgent,
            tag: configuration.bindTag, isResumable: configuration.requestsResumption, exchange.request)
        return (exchange, [.progress(.authenticating(mechanism: name)), .write(markup)])
    }

    private func answerDeadline(
        _ request: InlineRequest, now: ContinuousInstant
    ) -> ContinuousInstant? {
        request.resumption == nil ? nil : now.advanced(by: configuration.resumptionTimeout)
    }

    private func inlineRequest(_ offer: InlineOffer, on channel: ProtectedChannel) -> InlineRequest {
        var request = InlineRequest()
        if offer.resumes, plans(.inlineResumption), configuration.usesStreamManagement {
            request.resumption = configuration.resumption
        }
        // A client that asks for a resource by name gets it by RFC 6120 §7.7: in XEP-0386 the server makes the name.
        if offer.binds, plans(.bind2), configuration.address.resource == nil {
            request.binds = true
            request.managesStream =
                configuration.usesStreamManagement && plans(.management)
                && offer.bindFeatures.contains(StreamNamespace.streamManagement)
            request.features = configuration.bindRequests.filter { offer.bindFeatures.contains($0.feature) }
        }
        if configuration.requestsFASTToken, plans(.fast), configuration.userAgent != nil, senderAddress != nil {
            request.tokenMechanism = offer.tokenMechanisms.flatMap { negotiator(on: channel).tokenMechanism(from: $0) }
        }
        return request
    }

    func plans(_ feature: StreamFeature) -> Bool { configuration.plan.features.contains(feature) }

    /// Never the same twice: what was refused may have been seen.
    func nonce(attempt: Int) -> String {
        attempt == 0 ? configuration.nonce : "\(configuration.nonce)\(attempt)"
    }
}

// MARK: - The exchange (XEP-0388 §2.4 to §2.6)

extension StreamNegotiation.Rules {
    func extensibleElementReceived(
        _ element: XMLElement, _ exchange: ExtensibleExchange, now: ContinuousInstant
    ) -> Transition {
        if element.isNamed(StreamName.challenge2) { return challenged(element, exchange, now: now) }
        if element.isNamed(StreamName.success2) { return admitted(element, exchange) }
        if element.isNamed(StreamName.failure2) { return refused(element, exchange, now: now) }
        if element.isNamed(StreamName.continue2) {
            let tasks = element.firstChild(StreamName.tasks)?.children.filter { $0.isNamed(StreamName.task) }
            let names = tasks?.map(\.text).joined(separator: ", ")
            return Transition.failed(StreamFailure(.furtherStepDemanded, text: names))
                .after([.write(StreamMarkup.element(StreamName.abort2))])
        }
        return misplaced(element, back: .authenticatingExtensibly(exchange))
    }

    private func challenged(
        _ element: XMLElement, _ exchange: ExtensibleExchange, now: ContinuousInstant
    ) -> Transition {
        var exchange = exchange
        guard let data = Base64.decode(element.text.trimmingXMLWhitespace()) else {
            return abortExtensible(StreamFailure(.authenticationMalformed))
        }
        do throws(SASLError) {
            let response = try exchange.mechanism.respond(to: data)
            exchange.deadline = answerDeadline(exchange.request, now: now)
            return Transition(
                to: .authenticatingExtensibly(exchange),
                [.write(StreamMarkup.element(StreamName.response2, text: Base64.encode(response)))])
        } catch {
            return abortExtensible(StreamFailure(error))
        }
    }

    private func abortExtensible(_ failure: StreamFailure) -> Transition {
        Transition.failed(failure).after([.write(StreamMarkup.element(StreamName.abort2))])
    }

    private func refused(
        _ element: XMLElement, _ exchange: ExtensibleExchange, now: ContinuousInstant
    ) -> Transition {
        let failure = StreamFailure(saslFailure: element)
        guard let features = exchange.features else { return .failed(failure) }
        let offered = Offered(channel: exchange.channel, features: features)
        let isTemporary = failure.saslCondition?.isTemporary == true
        if exchange.request.usesToken, !isTemporary {
            // A token is forgotten as soon as it fails, and the password takes over (XEP-0484 §4).
            let rejected = Action.tokenRejected
            guard exchange.credentials.password != nil || !exchange.credentials.scramKeys.isEmpty else {
                return Transition.failed(failure).after([rejected])
            }
            return authenticate(with: exchange.credentials, offered, mayUseToken: false, now: now).after([rejected])
        }
        guard failure.saslCondition?.allowsAnotherMechanism == true, !exchange.request.usesToken else {
            return .failed(failure)
        }
        let tried = exchange.tried.union([exchange.mechanism.name])
        return authenticateExtensibly(
            with: exchange.credentials, offered, tried: tried, mayUseToken: false, now: now
        ).orFailed(failure)
    }

    private func admitted(_ element: XMLElement, _ exchange: ExtensibleExchange) -> Transition {
        let (request, tls) = (exchange.request, exchange.channel.tls)
        var mechanism = exchange.mechanism
        var data: [UInt8]?
        if let text = element.firstChild(StreamName.additionalData)?.text.trimmingXMLWhitespace() {
            guard let decoded = Base64.decode(text) else { return .failed(StreamFailure(.authenticationMalformed)) }
            data = decoded
        }
        do throws(SASLError) {
            try mechanism.succeed(with: data)
        } catch {
            return .failed(StreamFailure(error))
        }
        // Each success contains the address of the session (XEP-0388 §2.6.1), also that of a resumption.
        let identifier = element.firstChild(StreamName.authorizationIdentifier)
            .flatMap { try? JID($0.text.trimmingXMLWhitespace()) }
        if let failure = identifier.flatMap({ mismatch(of: $0) }) { return .failed(failure) }
        var actions: [Action] = [.progress(.authenticated)]
        let tokenMechanism = request.usesToken ? mechanism.name : request.tokenMechanism
        if let tokenMechanism, let issued = element.firstChild(StreamName.token), let token = issued["token"],
            !token.isEmpty
        {
            let fresh = FASTToken(
                mechanism: tokenMechanism, token: token, expiry: issued["expiry"], offer: exchange.offer)
            actions.append(.tokenReceived(fresh))
        }
        var shortcuts = LoginShortcuts()
        shortcuts.usesSASL2 = true
        shortcuts.usesFAST = request.usesToken

        var admitted = Admitted(tls: tls, mechanism: mechanism.name.rawValue, shortcuts: shortcuts)
        if let resumption = request.resumption {
            if let resumed = element.firstChild(StreamName.resumed) {
                shortcuts.resumesInline = true
                return goOn(
                    resumed, resumption, mechanism.name, shortcuts, exchange
                ).after(actions)
            }
            // Without a word about it the session was not resumed, and cannot be once another one is bound.
            let failed = element.firstChild(StreamName.failed)
            if failed != nil || element.firstChild(StreamName.bound) != nil {
                admitted.finished.insert(.resume)
                actions += [
                    .progress(.resuming), .resumeSent(resumption), .resumptionRefused(handled: failed?.handledCount),
                ]
            }
        }
        if request.binds, let bound = element.firstChild(StreamName.bound) {
            guard let address = identifier, !address.isBare else {
                return Transition.failed(StreamFailure(.bindingRefused)).after(actions)
            }
            admitted.address = address
            admitted.shortcuts.bindsInline = true
            admitted.shortcuts.inlineFeatures = Set(request.features.map(\.feature))
            admitted.finished.formUnion([.resume, .startSession])
            actions += [.progress(.binding(resource: nil)), .progress(.bound(address))]
            if request.managesStream {
                actions += manage(bound, address, &admitted)
            }
        }
        return Transition(to: .awaitingAdmittedFeatures(admitted), actions)
    }

    /// `<resumed/>` inside of `<success/>`.
    private func goOn(
        _ resumed: XMLElement, _ resumption: ResumptionState, _ mechanism: SASLMechanismName,
        _ shortcuts: LoginShortcuts, _ exchange: ExtensibleExchange
    ) -> Transition {
        guard let previousID = resumed["previd"], let handled = resumed.handledCount else {
            return .failed(StreamFailure(.unexpectedElement, text: resumed.name.description), tell: .invalidXML)
        }
        // No features are waited for: ejabberd sends none here, and Prosody sends stanzas before them.
        let ready = StreamNegotiation.Ready(
            tls: exchange.channel.tls, mechanism: mechanism.rawValue, features: exchange.features ?? .none,
            shortcuts: shortcuts)
        return Transition(
            to: .finished,
            [
                .progress(.resuming), .resumeSent(resumption),
                .resumed(previousID: previousID, handled: handled, ready),
            ])
    }

    /// `<enabled/>` or `<failed/>` inside of `<bound/>`.
    private func manage(_ bound: XMLElement, _ address: JID, _ admitted: inout Admitted) -> [Action] {
        if let enabled = bound.firstChild(StreamName.enabled) {
            admitted.isManaged = true
            return [.enableSent, .enabled(StreamManagement.Promise(enabled), address: address)]
        }
        if bound.firstChild(StreamName.failed) != nil {
            admitted.finished.insert(.manage)
            return [.enableSent, .enableRefused]
        }
        return []
    }

    /// The features that follow `<success/>` without a new stream header.
    func admittedElementReceived(
        _ element: XMLElement, _ admitted: Admitted, now: ContinuousInstant
    ) -> Transition {
        guard element.isNamed(StreamName.features) else {
            return admitted.address == nil
                ? misplaced(element, back: .awaitingAdmittedFeatures(admitted))
                : boundElementReceived(element, back: .awaitingAdmittedFeatures(admitted))
        }
        return proceed(Negotiated(admitted, features: StreamFeatures(element: element)), now: now)
    }
}
