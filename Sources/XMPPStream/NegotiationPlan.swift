/// The features a client wants from a stream, in the order in which it asks for them.
public struct NegotiationPlan: Equatable, Sendable {
    public let features: [StreamFeature]

    public init(_ features: [StreamFeature]) { self.features = features }

    /// The short way where the server knows it (XEP-0388 with XEP-0484 and inline XEP-0198), otherwise the plan of RFC 6120
    /// §9.1 with registration (XEP-0077) and stream management.
    public static let standard = NegotiationPlan([
        .startTLS, .registration, .sasl2, .fast, .inlineResumption, .sasl, .resumption, .binding, .session, .management,
    ])

    /// The same with Bind 2 (XEP-0386), for programs that read the archive after each new session: a server throws the
    /// offline messages away when it binds this way (§4.3; ejabberd 24 does), because the archive has them, too. Whoever does
    /// not read it would lose them.
    public static let forArchiveReaders = NegotiationPlan([
        .startTLS, .registration, .sasl2, .fast, .inlineResumption, .bind2, .sasl, .resumption, .binding, .session,
        .management,
    ])

    /// What to negotiate next: the first feature that is possible with what has been reached, is offered (or tried
    /// without an offer) and is not among those to skip.
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
