/// The features a client wants from a stream, in the order in which it asks for them.
public struct NegotiationPlan: Equatable, Sendable {
    public let features: [StreamFeature]

    public init(_ features: [StreamFeature]) { self.features = features }

    /// The plan of RFC 6120 §9.1 with registration (XEP-0077) and stream management (XEP-0198).
    public static let standard = NegotiationPlan([
        .startTLS, .registration, .sasl, .resumption, .binding, .session, .management,
    ])

    /// What to negotiate next: the first feature that is possible with what has been reached, is offered (or tried
    /// without an offer) and is not among those to skip.
    package func next(
        offered: StreamFeatures, standing: StreamFeature.Standing, skipping: Set<StreamFeature.Step>
    ) -> StreamFeature? {
        features.first { feature in
            standing.isSuperset(of: feature.needs) && standing.isDisjoint(with: feature.forbids)
                && !skipping.contains(feature.step)
                && (feature.isTriedUnoffered || offered.offers(feature.name))
        }
    }

    /// The features that a server can offer to a client that has reached `standing`.
    package func offerable(at standing: StreamFeature.Standing) -> [StreamFeature] {
        features.filter { standing.isSuperset(of: $0.needs) && standing.isDisjoint(with: $0.forbids) }
    }
}
