public import DataForms
public import XMPPAddress
public import XMPPClient

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
            NodeConfigurationChange(node: node, form: configuration.filled(form)), to: service)
    }
}
