public import XMLStreaming

/// One negotiable feature of a stream as data: what offers it, what it requires, excludes and provides.
///
/// The negotiation selects the next feature from a plan of such values (RFC 6120 §4.3), so a new way to authenticate or
/// to bind is a new value in the plan and one more step, and the order is defined in one place.
public struct StreamFeature: Hashable, Sendable {
    /// The states that a connection has reached.
    public struct Standing: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The connection is encrypted and the server's certificate was accepted.
        public static let secured = Standing(rawValue: 1 << 0)
        /// The account was authenticated.
        public static let authenticated = Standing(rawValue: 1 << 1)
        /// A resource is bound: stanzas can be exchanged.
        public static let bound = Standing(rawValue: 1 << 2)
        /// The session of RFC 3921 was started.
        public static let sessionStarted = Standing(rawValue: 1 << 3)
        /// Stream management is enabled.
        public static let managed = Standing(rawValue: 1 << 4)
    }

    /// The procedure that negotiates the feature.
    public enum Step: Hashable, Sendable, CaseIterable {
        case startTLS, register, authenticateExtensibly, authenticate, resume, bind, startSession, manage
        /// Performed together with ``authenticateExtensibly``.
        case useToken, resumeInline, bindInline
        /// Performed by the ``CustomBinding`` of the plan.
        case bindOtherwise
    }

    /// The element that offers the feature inside `<stream:features/>`.
    public let name: XMLName
    public let step: Step
    /// The states that must be reached before.
    public let needs: Standing
    /// The states in which the feature is pointless or wrong.
    public let forbids: Standing
    /// The states that it leads to.
    public let brings: Standing
    /// Whether a new stream header follows (RFC 6120 §4.3.3).
    public let restartsStream: Bool
    /// Whether it is offered and negotiated as a part of another feature.
    public let isInline: Bool
    /// Whether the client tries it even if it was not offered. An attacker can remove an offer.
    public let isTriedUnoffered: Bool

    public init(
        name: XMLName, step: Step, needs: Standing, forbids: Standing, brings: Standing, restartsStream: Bool = false,
        isInline: Bool = false, isTriedUnoffered: Bool = false
    ) {
        self.name = name
        self.step = step
        self.needs = needs
        self.forbids = forbids
        self.brings = brings
        self.restartsStream = restartsStream
        self.isInline = isInline
        self.isTriedUnoffered = isTriedUnoffered
    }
}

extension StreamFeature {
    /// RFC 6120 §5.
    public static let startTLS = StreamFeature(
        name: StreamName.startTLS, step: .startTLS, needs: [], forbids: [.secured, .authenticated], brings: .secured,
        restartsStream: true, isTriedUnoffered: true)

    /// XEP-0077 §3.1, in a stream that is opened to create an account. Offering it is optional, so it is tried anyway.
    public static let registration = StreamFeature(
        name: StreamName.registrationFeature, step: .register, needs: .secured, forbids: .authenticated, brings: [],
        isTriedUnoffered: true)

    /// XEP-0388. The stream continues without a new header.
    public static let sasl2 = StreamFeature(
        name: StreamName.authentication, step: .authenticateExtensibly, needs: .secured, forbids: .authenticated,
        brings: .authenticated)

    /// XEP-0484, inside of ``sasl2``.
    public static let fast = StreamFeature(
        name: StreamName.fast, step: .useToken, needs: .secured, forbids: .authenticated, brings: .authenticated,
        isInline: true)

    /// XEP-0198 §9.2, inside of ``sasl2``.
    public static let inlineResumption = StreamFeature(
        name: StreamName.management, step: .resumeInline, needs: .secured, forbids: .bound,
        brings: [.authenticated, .bound, .sessionStarted, .managed], isInline: true)

    /// XEP-0386, inside of ``sasl2``.
    public static let bind2 = StreamFeature(
        name: StreamName.bind2, step: .bindInline, needs: .secured, forbids: .bound,
        brings: [.authenticated, .bound, .sessionStarted], isInline: true)

    /// RFC 6120 §6.
    public static let sasl = StreamFeature(
        name: StreamName.mechanisms, step: .authenticate, needs: .secured, forbids: .authenticated,
        brings: .authenticated, restartsStream: true)

    /// XEP-0198 §5.
    public static let resumption = StreamFeature(
        name: StreamName.management, step: .resume, needs: .authenticated, forbids: .bound,
        brings: [.bound, .sessionStarted, .managed])

    /// RFC 6120 §7. It is mandatory, so it is requested even if the server does not offer it.
    public static let binding = StreamFeature(
        name: StreamName.bind, step: .bind, needs: .authenticated, forbids: .bound, brings: .bound,
        isTriedUnoffered: true)

    /// RFC 3921 §3.
    public static let session = StreamFeature(
        name: StreamName.session, step: .startSession, needs: .bound, forbids: .sessionStarted,
        brings: .sessionStarted)

    /// XEP-0198 §3.
    public static let management = StreamFeature(
        name: StreamName.management, step: .manage, needs: .bound, forbids: .managed, brings: .managed)
}

/// The features that a client negotiates, in order of preference.
public struct NegotiationPlan: Sendable {
    public let features: [StreamFeature]
    /// The way to bind of the program: ``binding(with:)``.
    public internal(set) var customBinding: (any CustomBinding)?

    public init(_ features: [StreamFeature]) { self.features = features }

    /// The short exchange if the server supports it (XEP-0388 with XEP-0484 and inline XEP-0198), otherwise the plan of
    /// RFC 6120 §9.1 with registration (XEP-0077) and stream management.
    public static let standard = NegotiationPlan([
        .startTLS, .registration, .sasl2, .fast, .inlineResumption, .sasl, .resumption, .binding, .session, .management,
    ])

    /// The same with Bind 2 (XEP-0386), for programs that read the archive after each new session. Servers discard the
    /// offline messages on this kind of binding (§4.3; ejabberd 24 does), because the archive contains them too; a
    /// program that does not read it would lose them.
    public static let forArchiveReaders = NegotiationPlan([
        .startTLS, .registration, .sasl2, .fast, .inlineResumption, .bind2, .sasl, .resumption, .binding, .session,
        .management,
    ])

    /// The next feature to negotiate: the first one that is possible in the current state, is offered (or tried without
    /// an offer) and is not to be skipped.
    package func next(
        offered: StreamFeatures, standing: StreamFeature.Standing, skipping: Set<StreamFeature.Step>
    ) -> StreamFeature? {
        features.first { feature in
            !feature.isInline && standing.isSuperset(of: feature.needs) && standing.isDisjoint(with: feature.forbids)
                && !skipping.contains(feature.step)
                && (feature.isTriedUnoffered || offered.offers(feature.name))
        }
    }

    /// The features that a server can offer to a client that has reached `standing`.
    package func offerable(at standing: StreamFeature.Standing) -> [StreamFeature] {
        features.filter { !$0.isInline && standing.isSuperset(of: $0.needs) && standing.isDisjoint(with: $0.forbids) }
    }
}
