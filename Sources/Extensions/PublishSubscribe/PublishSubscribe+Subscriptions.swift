public import XMPPAddress
public import XMPPClient

extension PublishSubscribe {
    /// Subscribes to a node for all devices of the own account.
    ///
    /// - Returns: The subscription; it may be pending until the owner of the node agrees.
    @discardableResult
    public func subscribe(to node: String, at service: JID) async throws(ClientError) -> Subscription {
        let own = try await ownAddress()
        let answer = try await session.request(SubscribeRequest(node: node, address: own), to: service)
        return answer.subscription ?? Subscription(node: node, address: own)
    }

    /// Ends a subscription.
    public func unsubscribe(from node: String, at service: JID, subscriptionID: String? = nil) async throws(ClientError)
    {
        let request = UnsubscribeRequest(node: node, address: try await ownAddress(), subscriptionID: subscriptionID)
        _ = try await session.request(request, to: service)
    }

    /// The subscriptions of the own account at a service.
    public func subscriptions(at service: JID, node: String? = nil) async throws(ClientError) -> [Subscription] {
        try await session.request(SubscriptionsRequest(node: node), to: service).subscriptions
    }

    private func ownAddress() async throws(ClientError) -> JID {
        guard let own = await session.address else {
            throw ClientError(.notConnected, "One can only subscribe while there is a connection.")
        }
        return own.bare
    }
}
