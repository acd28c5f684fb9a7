public import DataForms
public import XMPPAddress
public import XMPPClient

extension PublishSubscribe {
    /// Our affiliations at a service (XEP-0060 §5.7).
    ///
    /// - Parameter node: only that to this node.
    public func affiliations(at service: JID? = nil, node: String? = nil) async throws(ClientError) -> [NodeMember] {
        try await session.request(AffiliationsRequest(node: node), to: service).affiliations
    }

    /// The accounts with an affiliation to a node, for its owner (XEP-0060 §8.9.1).
    public func members(of node: String, at service: JID? = nil) async throws(ClientError) -> [NodeMember] {
        try await session.request(NodeMembersRequest(node: node), to: service).members
    }

    /// Changes the affiliation of an account to a node, as its owner (XEP-0060 §8.9.2).
    public func setAffiliation(
        _ affiliation: NodeAffiliation, of account: JID, to node: String, at service: JID? = nil
    ) async throws(ClientError) {
        let member = NodeMember(account: account.bare, affiliation)
        _ = try await session.request(NodeMembersChange(node: node, [member]), to: service)
    }

    /// The subscriptions to a node, for its owner (XEP-0060 §8.8.1).
    public func subscribers(of node: String, at service: JID? = nil) async throws(ClientError) -> [Subscription] {
        try await session.request(NodeSubscribersRequest(node: node), to: service).subscriptions
    }

    /// Approves, denies or ends a subscription to a node, as its owner (XEP-0060 §8.8.2).
    ///
    /// - Parameter state: `subscribed` approves it, `none` denies or ends it.
    public func setSubscription(
        _ state: Subscription.State, of subscriber: JID, to node: String, at service: JID? = nil,
        subscriptionID: String? = nil
    ) async throws(ClientError) {
        let subscription = Subscription(node: nil, address: subscriber, id: subscriptionID, state: state)
        _ = try await session.request(NodeSubscribersChange(node: node, [subscription]), to: service)
    }

    /// The options of our subscription to a node (XEP-0060 §6.3.2), to read with ``SubscriptionOptions``.
    public func optionsForm(
        of node: String, at service: JID, subscriptionID: String? = nil
    ) async throws(ClientError) -> DataForm {
        let request = SubscriptionOptionsRequest(
            node: node, address: try await ownAddress(), subscriptionID: subscriptionID)
        return try await session.request(request, to: service).form
    }

    /// Changes the options of our subscription to a node that are not `nil` (XEP-0060 §6.3.5).
    public func setOptions(
        _ options: SubscriptionOptions, of node: String, at service: JID, subscriptionID: String? = nil
    ) async throws(ClientError) {
        let subscription = SubscriptionOptionsRequest(
            node: node, address: try await ownAddress(), subscriptionID: subscriptionID)
        let form = try await session.request(subscription, to: service).form
        let change = SubscriptionOptionsChange(subscription, form: form.submission(changing: options.values))
        _ = try await session.request(change, to: service)
    }
}
