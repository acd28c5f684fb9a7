package import SASLMechanisms
package import Waiting
package import XMLStreaming
package import XMPPAddress
package import XMPPStanzas

/// The negotiation of a client from a connected transport to an established stream (RFC 6120 §4.3, §5, §6, §7).
///
/// Data received before encryption is discarded with the state that contained it: every state after encryption is built
/// from a `ProtectedChannel` alone. The next feature is read from the `NegotiationPlan` of the configuration.
package struct StreamNegotiation: ~Copyable, Sendable {
    package enum Action: Equatable, Sendable {
        /// One element.
        case write([UInt8])
        /// Our header; with the account only on an encrypted channel.
        case openStream(from: JID?)
        /// Nothing more may be parsed: the following bytes belong to TLS.
        case secureTransport
        /// Parse a new stream header next, with a new parser.
        case restartStream
        case progress(StreamProgress)
        case readyToRegister(StreamFeatures)
        case resourceConflict(String)
        /// A stanza for the owner.
        case stanza(XMLElement)
        /// An element that does not apply here.
        case element(XMLElement)
        /// The server issued a token for the next login.
        case tokenReceived(FASTToken)
        /// The server rejected the token.
        case tokenRejected
        /// `<resume/>` is being written for this session, or was sent with the login that has succeeded now.
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
        /// The stream has failed; the condition, if any, is sent to the server.
        case failed(StreamFailure, tell: StreamError.Condition?)
    }

    /// The result after authentication, when the features of the new stream are known.
    package struct Ready: Equatable, Sendable {
        package let tls: TLSInformation?
        package let mechanism: String
        package let features: StreamFeatures
        package var shortcuts = LoginShortcuts()
    }

    /// The next state and the actions on the way to it.
    struct Transition: ~Copyable {
        let state: State
        let actions: [Action]

        init(to state: consuming State, _ actions: [Action] = []) {
            self.state = state
            self.actions = actions
        }

        /// The same transition with earlier actions.
        consuming func after(_ earlier: [Action]) -> Transition {
            let all = earlier + actions
            return Transition(to: state, all)
        }

        /// This transition, or the earlier failure if this one fails at once: that is the original cause.
        consuming func orFailed(_ earlier: StreamFailure) -> Transition {
            guard case .failed? = actions.first else { return self }
            return .failed(earlier)
        }

        static func failed(_ failure: StreamFailure, tell condition: StreamError.Condition? = nil) -> Transition {
            Transition(to: .finished, [.failed(failure, tell: condition)])
        }
    }

    struct Clear {
        /// `<starttls/>` went out together with the header.
        var isStartTLSSent: Bool
        var areFeaturesSeen = false
    }

    struct Offered {
        let channel: ProtectedChannel
        let features: StreamFeatures
    }

    /// Our header is out on a protected channel.
    struct Opening {
        let channel: ProtectedChannel
        /// The login that went out together with it.
        var early: ExtensibleExchange?
    }

    struct Authenticating {
        let offered: Offered
        let credentials: SASLCredentials
        var mechanism: any SASLClientMechanism
        /// The mechanisms that the server rejected on this connection.
        var tried: Set<SASLMechanismName> = []

        var channel: ProtectedChannel { offered.channel }
    }

    struct Authenticated {
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

    struct Negotiated {
        let ready: Ready
        var standing: StreamFeature.Standing
        var finished: Set<StreamFeature.Step> = []
        var address: JID?

        init(_ authenticated: Authenticated, features: StreamFeatures) {
            ready = Ready(tls: authenticated.tls, mechanism: authenticated.mechanism, features: features)
            standing = [.secured, .authenticated]
        }

        init(_ admitted: Admitted, features: StreamFeatures) {
            ready = Ready(
                tls: admitted.tls, mechanism: admitted.mechanism, features: features, shortcuts: admitted.shortcuts)
            standing = [.secured, .authenticated]
            if admitted.address != nil { standing.insert(.bound) }
            if admitted.isManaged { standing.insert(.managed) }
            finished = admitted.finished
            address = admitted.address
        }
    }

    struct Binding {
        let negotiated: Negotiated
        var attempt = 1
        var resource: String?
        var alternatives: [String]

        var id: String { StreamNegotiation.bindID(attempt) }
    }

    /// Copyable, unlike the machine: Swift 6.3 cannot match several cases of a noncopyable value together. No event can
    /// forget the next state, because ``advance(_:)`` takes the present one and wants a ``Transition``.
    enum State {
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
        /// Our header is out on a protected channel. → awaitingFeatures, presentingSecret
        case opening(Opening)
        /// The server's header came. → registering, authenticating, authenticatingExtensibly
        case awaitingFeatures(Opening)
        /// The owner exchanges registration requests. → authenticating, authenticatingExtensibly
        case registering(Offered)
        /// The secret of a component was presented (XEP-0114). → finished
        case presentingSecret(ProtectedChannel)
        /// A SASL exchange is under way. → reopening
        case authenticating(Authenticating)
        /// A login by XEP-0388 is under way. → awaitingAdmittedFeatures, authenticating, finished
        case authenticatingExtensibly(ExtensibleExchange)
        /// The account is authenticated on the same stream. → resuming, binding, bindingOtherwise, enabling, finished
        case awaitingAdmittedFeatures(Admitted)
        /// The account is authenticated and our new header is out. → awaitingFinalFeatures
        case reopening(Authenticated)
        /// The server's header came. → resuming, binding, bindingOtherwise
        case awaitingFinalFeatures(Authenticated)
        /// `<resume/>` is out. → finished, binding, bindingOtherwise
        case resuming(Negotiated, deadline: ContinuousInstant)
        /// A resource was asked for. → choosingResource, startingSession, enabling, finished
        case binding(Binding)
        /// The resource is in use and the owner was asked. → binding
        case choosingResource(Binding)
        /// The binding of the program exchanges elements. → binding, startingSession, enabling, finished
        case bindingOtherwise(OtherBinding)
        /// The session of RFC 3921 was asked for. → enabling, finished
        case startingSession(Negotiated)
        /// `<enable/>` is out. → finished
        case enabling(Negotiated)
        /// Stanzas flow, or the stream failed. Final.
        case finished
    }

    static func bindID(_ attempt: Int) -> String { "bind-\(attempt)" }

    private let rules: Rules
    private var state: State

    init(configuration: SharedConfiguration) {
        self.init(Rules(sharedConfiguration: configuration), .initial)
    }

    private init(_ rules: Rules, _ state: consuming State) {
        self.rules = rules
        self.state = state
    }
}

// MARK: - Events

extension StreamNegotiation {
    /// The transport is connected; `tls` says that it was secured on the way (XEP-0368).
    package mutating func transportConnected(tls: TLSInformation?, now: ContinuousInstant) -> [Action] {
        advance { rules, state in
            switch state {
            case .initial: return rules.transportConnected(tls: tls, now: now)
            // A transport connects once.
            case .openingInClear, .awaitingFeaturesInClear, .awaitingProceed, .handshaking, .opening,
                .awaitingFeatures, .registering, .presentingSecret, .authenticating, .authenticatingExtensibly,
                .awaitingAdmittedFeatures, .reopening, .awaitingFinalFeatures, .resuming, .binding,
                .choosingResource, .bindingOtherwise, .startingSession, .enabling, .finished:
                Self.outOfOrder()
            }
        }
    }

    /// The TLS handshake succeeded and the certificate was accepted.
    package mutating func tlsEstablished(_ tls: TLSInformation, now: ContinuousInstant) -> [Action] {
        advance { rules, state in
            switch state {
            case .handshaking:
                return rules.open(on: ProtectedChannel(securedBy: tls), now: now).after([.progress(.secured(tls))])
            // The handshake is asked for by `.secureTransport`, once.
            case .initial, .openingInClear, .awaitingFeaturesInClear, .awaitingProceed, .opening,
                .awaitingFeatures, .registering, .presentingSecret, .authenticating, .authenticatingExtensibly,
                .awaitingAdmittedFeatures, .reopening, .awaitingFinalFeatures, .resuming, .binding,
                .choosingResource, .bindingOtherwise, .startingSession, .enabling, .finished:
                Self.outOfOrder()
            }
        }
    }

    /// The server's stream header was read; `contentNamespace` is the one it declares for elements without a prefix.
    package mutating func streamOpened(_ root: XMLElement, contentNamespace: String) -> [Action] {
        advance { rules, state in
            switch state {
            case .openingInClear(let clear):
                return rules.headerReceived(
                    root, contentNamespace,
                    next: clear.isStartTLSSent ? .awaitingProceed(clear) : .awaitingFeaturesInClear)
            case .opening(let opening):
                if case .component(let credentials) = rules.configuration.purpose {
                    return rules.componentHeaderReceived(root, contentNamespace, opening.channel, credentials)
                }
                return rules.headerReceived(root, contentNamespace, next: .awaitingFeatures(opening))
            case .reopening(let authenticated):
                return rules.headerReceived(root, contentNamespace, next: .awaitingFinalFeatures(authenticated))
            // The parser gives one header for each that we have written.
            case .initial, .awaitingFeaturesInClear, .awaitingProceed, .handshaking,
                .awaitingFeatures, .registering, .presentingSecret, .authenticating, .authenticatingExtensibly,
                .awaitingAdmittedFeatures, .awaitingFinalFeatures, .resuming, .binding,
                .choosingResource, .bindingOtherwise, .startingSession, .enabling, .finished:
                Self.outOfOrder()
            }
        }
    }

    /// An element was read at the top level of the stream; stream errors are the owner's.
    package mutating func elementReceived(_ element: XMLElement, now: ContinuousInstant) -> [Action] {
        advance { rules, state in
            switch state {
            case .awaitingFeaturesInClear:
                return rules.featuresInClearReceived(element)
            case .awaitingProceed(let clear):
                return rules.answerToStartTLSReceived(element, clear)
            case .awaitingFeatures(let opening):
                return rules.featuresReceived(element, opening, now: now)
            case .registering(let offered):
                return rules.registrationElementReceived(element, offered)
            case .presentingSecret(let channel):
                return rules.answerToHandshakeReceived(element, channel)
            case .authenticating(let exchange):
                return rules.saslElementReceived(element, exchange)
            case .authenticatingExtensibly(let exchange):
                return rules.extensibleElementReceived(element, exchange, now: now)
            case .awaitingAdmittedFeatures(let admitted):
                return rules.admittedElementReceived(element, admitted, now: now)
            case .awaitingFinalFeatures(let authenticated):
                return rules.finalFeaturesReceived(element, authenticated, now: now)
            case .resuming(let negotiated, let deadline):
                return rules.answerToResumeReceived(element, negotiated, deadline: deadline, now: now)
            case .binding(let binding):
                return rules.answerToBindReceived(element, binding, now: now)
            case .choosingResource(let binding):
                return rules.misplaced(element, back: .choosingResource(binding))
            case .bindingOtherwise(let exchange):
                return rules.elementReceived(element, whileBindingOtherwise: exchange, now: now)
            case .startingSession(let negotiated):
                return rules.answerToSessionReceived(element, negotiated, now: now)
            case .enabling(let negotiated):
                return rules.answerToEnableReceived(element, negotiated, now: now)
            // The parser gives no element before the header, and none is read during the handshake and after the end.
            case .initial, .openingInClear, .handshaking, .opening, .reopening, .finished: Self.outOfOrder()
            }
        }
    }

    /// Registration is over and the owner wants to log in on the same stream.
    package mutating func authenticate(_ credentials: SASLCredentials, now: ContinuousInstant) -> [Action] {
        advance { rules, state in
            switch state {
            case .registering(let offered): return rules.authenticate(with: credentials, offered, now: now)
            // Credentials are asked for by `.readyToRegister`, once.
            case .initial, .openingInClear, .awaitingFeaturesInClear, .awaitingProceed, .handshaking,
                .opening, .awaitingFeatures, .presentingSecret, .authenticating, .authenticatingExtensibly,
                .awaitingAdmittedFeatures, .reopening, .awaitingFinalFeatures, .resuming, .binding,
                .choosingResource, .bindingOtherwise, .startingSession, .enabling, .finished:
                Self.outOfOrder()
            }
        }
    }

    /// The owner's answer to `.resourceConflict`; nil lets the server choose.
    package mutating func useResource(_ resource: String?) -> [Action] {
        advance { rules, state in
            switch state {
            case .choosingResource(var binding):
                binding.resource = resource
                return rules.bind(binding)
            // A resource is asked for by `.resourceConflict`, once.
            case .initial, .openingInClear, .awaitingFeaturesInClear, .awaitingProceed, .handshaking,
                .opening, .awaitingFeatures, .registering, .presentingSecret, .authenticating,
                .authenticatingExtensibly, .awaitingAdmittedFeatures, .reopening,
                .awaitingFinalFeatures, .resuming, .binding, .bindingOtherwise, .startingSession, .enabling, .finished:
                Self.outOfOrder()
            }
        }
    }

    /// The server did not answer `<resume/>` in time.
    package mutating func deadlinePassed(now: ContinuousInstant) -> [Action] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        return advance { _, _ in .failed(StreamFailure(.resumptionTimedOut)) }
    }

    /// Goes to the next state and returns what to do on the way.
    private mutating func advance(_ event: (Rules, consuming State) -> Transition) -> [Action] {
        let rules = rules
        let next = event(rules, state)
        let actions = next.actions
        self = Self(rules, next.state)
        return actions
    }

    /// An event that is impossible in this state, so only the owner can have mixed up what it reports.
    private static func outOfOrder() -> Never {
        preconditionFailure("an event was reported in a state that cannot have it")
    }
}

// MARK: - Properties

extension StreamNegotiation {
    /// The states by name, for the owner's decisions.
    package enum Phase: Equatable, Sendable, CaseIterable {
        case initial, openingInClear, awaitingFeaturesInClear, awaitingProceed, handshaking, opening, awaitingFeatures,
            registering, presentingSecret
        case authenticating, authenticatingExtensibly, awaitingAdmittedFeatures, reopening, awaitingFinalFeatures,
            resuming, binding, choosingResource, bindingOtherwise, startingSession,
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
        case .presentingSecret: .presentingSecret
        case .authenticating: .authenticating
        case .authenticatingExtensibly: .authenticatingExtensibly
        case .awaitingAdmittedFeatures: .awaitingAdmittedFeatures
        case .reopening: .reopening
        case .awaitingFinalFeatures: .awaitingFinalFeatures
        case .resuming: .resuming
        case .binding: .binding
        case .choosingResource: .choosingResource
        case .bindingOtherwise: .bindingOtherwise
        case .startingSession: .startingSession
        case .enabling: .enabling
        case .finished: .finished
        }
    }

    /// When to call `deadlinePassed`.
    package var nextDeadline: ContinuousInstant? {
        switch state {
        case .resuming(_, let deadline): deadline
        case .authenticatingExtensibly(let exchange): exchange.deadline
        case .opening(let opening), .awaitingFeatures(let opening): opening.early?.deadline
        case .initial, .openingInClear, .awaitingFeaturesInClear, .awaitingProceed, .handshaking, .registering,
            .presentingSecret, .authenticating, .awaitingAdmittedFeatures, .reopening, .awaitingFinalFeatures, .binding,
            .choosingResource, .bindingOtherwise, .startingSession, .enabling, .finished:
            nil
        }
    }
}
