public import DataForms
internal import ServiceDiscovery
public import XMLStreaming
public import XMPPAddress
public import XMPPClient

extension PublishSubscribe {
    /// Publishes one item and replaces an item with the same identifier.
    ///
    /// - Parameters:
    ///   - id: `nil` lets the service choose. `current` is the convention for nodes of a single item (XEP-0163 §3).
    ///   - configuration: The required configuration of the node. A node that does not exist is created with it; a node
    ///     with a different configuration is reconfigured first.
    /// - Returns: The identifier of the item, if it is known.
    @discardableResult
    public func publish(
        _ payload: some XMLEncodable, id: String? = nil, in node: String, at service: JID? = nil,
        configuration: NodeConfiguration? = nil
    ) async throws(ClientError) -> String? {
        let item = PublishedItem(id: id, payload: XMLElement(payload))
        guard let configuration else { return try await publish(item, in: node, at: service, options: nil) }
        guard try await understandsOptions(service) else {
            // A service without support for preconditions ignores them, and then private data would be public.
            try await prepare(node, at: service, configuration)
            return try await publish(item, in: node, at: service, options: nil)
        }
        do throws(ClientError) {
            return try await publish(item, in: node, at: service, options: configuration)
        } catch  where error.isAboutPreconditions || error.isItemNotFound {
            // Not every service creates a node with its first item (Prosody's component does not).
            try await prepare(node, at: service, configuration)
            // The essential ones again: another device may change the node between these two requests.
            return try await publish(item, in: node, at: service, options: configuration.essentials)
        }
    }

    private func publish(
        _ item: PublishedItem, in node: String, at service: JID?, options: NodeConfiguration?
    ) async throws(ClientError) -> String? {
        let form = options?.form(type: NodeConfiguration.optionsType)
        let answer = try await session.request(PublishRequest(node: node, items: [item], options: form), to: service)
        return answer.ids.first ?? item.id
    }

    private func understandsOptions(_ service: JID?) async throws(ClientError) -> Bool {
        guard let discovery = session[ServiceDiscovery.self] else { return true }
        if let service { return try await discovery.information(of: service).features.contains(Self.optionsFeature) }
        guard let own = await session.address else { return true }
        if try await discovery.information(of: own.bare).features.contains(Self.optionsFeature) { return true }
        // Older servers announce it only for themselves (XEP-0163 §6.1).
        return try await discovery.information(of: own.domainJID).features.contains(Self.optionsFeature)
    }

    private func prepare(_ node: String, at service: JID?, _ configuration: NodeConfiguration) async throws(ClientError)
    {
        do throws(ClientError) {
            try await configure(node, at: service, configuration)
        } catch  where error.isItemNotFound {
            try await createNode(node, at: service, configuration: configuration)
        }
    }

    /// The items of a node. If the node does not exist, the error is `item-not-found`.
    ///
    /// - Parameters:
    ///   - ids: Only these.
    ///   - maximum: Only this number of the newest items.
    ///   - page: A part of a long list, if the service supports it (§6.5.4).
    public func items(
        of node: String, at service: JID? = nil, ids: [String] = [], maximum: Int? = nil,
        page: ItemsRequest.Page? = nil
    ) async throws(ClientError) -> ItemsPage {
        try await session.request(ItemsRequest(node: node, ids: ids, maximum: maximum, page: page), to: service)
    }

    /// Retracts an item and notifies subscribers.
    public func retract(
        _ id: String, from node: String, at service: JID? = nil, notifies: Bool? = true
    ) async throws(ClientError) {
        _ = try await session.request(RetractRequest(node: node, ids: [id], notifies: notifies), to: service)
    }
}

extension PublishSubscribe {
    /// Creates a node.
    ///
    /// - Parameter node: `nil` lets the service choose a name.
    /// - Returns: The name of the node.
    @discardableResult
    public func createNode(
        _ node: String?, at service: JID? = nil, configuration: NodeConfiguration? = nil
    ) async throws(ClientError) -> String? {
        let form = configuration?.form(type: NodeConfiguration.configurationType)
        return try await session.request(NodeCreation(node: node, configuration: form), to: service).node ?? node
    }

    /// Deletes a node with all its items.
    public func removeNode(
        _ node: String, at service: JID? = nil, replacement: String? = nil
    ) async throws(ClientError) {
        _ = try await session.request(NodeRemoval(node: node, replacement: replacement), to: service)
    }

    /// Deletes all items of a node.
    public func purgeNode(_ node: String, at service: JID? = nil) async throws(ClientError) {
        _ = try await session.request(NodePurge(node: node), to: service)
    }

    /// The configuration form of a node, for its owner.
    public func configurationForm(of node: String, at service: JID? = nil) async throws(ClientError) -> DataForm {
        try await session.request(NodeConfigurationRequest(node: node), to: service).form
    }

    /// Changes the settings of a node that are not `nil`; the others stay.
    public func configure(
        _ node: String, at service: JID? = nil, _ configuration: NodeConfiguration
    ) async throws(ClientError) {
        let form = try await configurationForm(of: node, at: service)
        _ = try await session.request(
            NodeConfigurationChange(node: node, form: form.submission(changing: configuration.values)), to: service)
    }
}
