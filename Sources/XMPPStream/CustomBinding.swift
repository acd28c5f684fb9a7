import Waiting
public import XMLStreaming
public import XMPPAddress

/// Another way to bind a resource than that of RFC 6120 §7, for a server with a protocol of its own.
///
/// A binding is a value that says what to do after each element. It begins after authentication, if the server offers
/// its ``feature``, and gets every element until it has a result. The timeout of the login includes it.
///
///     struct DeviceBinding: CustomBinding {
///         let feature = XMLName("device", "urn:example:device")
///
///         func begin(for account: JID) -> CustomBindingStep { .send(Device(id: "d1").element) }
///
///         func received(_ element: XMLElement) -> CustomBindingStep {
///             guard element.isNamed(Device.bound), let address = try? JID(element.text) else { return .standard }
///             return .bound(address)
///         }
///     }
///
///     configuration.negotiation = .standard.binding(with: DeviceBinding())
public protocol CustomBinding: Sendable {
    /// The element in `<stream:features/>` with which a server offers it. Without the offer, the standard binding is
    /// used.
    var feature: XMLName { get }

    /// The account was authenticated.
    ///
    /// - Parameter account: the address of the configuration, with the requested resource if there is one.
    mutating func begin(for account: JID) -> CustomBindingStep

    /// The server sent an element.
    mutating func received(_ element: XMLElement) -> CustomBindingStep
}

/// The next step of a ``CustomBinding``.
public enum CustomBindingStep: Sendable, Hashable {
    /// Send this element and wait for the next one.
    case send(XMLElement)
    /// Wait for the next element.
    case wait
    /// The stream is bound to this full address. An address of another account ends the login.
    case bound(JID)
    /// Bind by RFC 6120 §7 instead.
    case standard
    /// End the login with this reason.
    case failed(String)
}

extension NegotiationPlan {
    /// The same plan with another way to bind, which is tried before the standard one if the server offers it. Bind 2
    /// (XEP-0386) would bind earlier, so the plan must not contain it.
    public func binding(with binding: any CustomBinding) -> NegotiationPlan {
        precondition(!features.contains(.bind2), "Bind 2 binds before any other way can.")
        let feature = StreamFeature(
            name: binding.feature, step: .bindOtherwise, needs: .authenticated, forbids: .bound, brings: .bound)
        var features = features.filter { $0.step != .bindOtherwise }
        features.insert(feature, at: features.firstIndex(of: .binding) ?? features.endIndex)
        var plan = NegotiationPlan(features)
        plan.customBinding = binding
        return plan
    }
}

extension StreamNegotiation {
    struct OtherBinding {
        let negotiated: Negotiated
        var binding: any CustomBinding
    }
}

extension StreamNegotiation.Rules {
    func bindOtherwise(_ negotiated: StreamNegotiation.Negotiated, now: ContinuousInstant)
        -> StreamNegotiation.Transition
    {
        guard var binding = configuration.plan.customBinding else {
            return bindByStandard(negotiated, now: now)
        }
        let step = binding.begin(for: configuration.address)
        return take(step, .init(negotiated: negotiated, binding: binding), now: now)
            .after([.progress(.binding(resource: configuration.address.resource))])
    }

    func elementReceived(
        _ element: XMLElement, whileBindingOtherwise exchange: StreamNegotiation.OtherBinding,
        now: ContinuousInstant
    ) -> StreamNegotiation.Transition {
        var exchange = exchange
        return take(exchange.binding.received(element), exchange, now: now)
    }

    private func take(
        _ step: CustomBindingStep, _ exchange: StreamNegotiation.OtherBinding, now: ContinuousInstant
    ) -> StreamNegotiation.Transition {
        switch step {
        case .send(let element):
            return Transition(to: .bindingOtherwise(exchange), [.write(StreamMarkup.bytes(of: element))])
        case .wait:
            return Transition(to: .bindingOtherwise(exchange))
        case .bound(let address):
            guard !address.isBare else { return .failed(StreamFailure(.bindingRefused)) }
            if let failure = mismatch(of: address) { return .failed(failure) }
            var negotiated = exchange.negotiated
            negotiated.address = address
            negotiated.standing.insert(.bound)
            return proceed(negotiated, now: now).after([.progress(.bound(address))])
        case .standard:
            return bindByStandard(exchange.negotiated, now: now)
        case .failed(let reason):
            return .failed(StreamFailure(.bindingRefused, text: reason))
        }
    }

    private func bindByStandard(
        _ negotiated: StreamNegotiation.Negotiated, now: ContinuousInstant
    ) -> StreamNegotiation.Transition {
        var negotiated = negotiated
        negotiated.finished.insert(.bindOtherwise)
        return proceed(negotiated, now: now)
    }
}
