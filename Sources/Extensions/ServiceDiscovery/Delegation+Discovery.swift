public import XMPPAddress
public import XMPPClient

/// A server asks the component for the features of each namespace that it delegates (XEP-0355 Namespace Delegation §4.4),
/// and ejabberd delegates nothing before it is answered.
extension Delegation: DiscoveryNodes {
    /// No features besides the namespace itself.
    public func information(of node: String, for requester: JID?) async -> DiscoveryInformation? {
        guard let requester, isDelegating(requester), let namespace = Self.delegatedNamespace(in: node) else {
            return nil
        }
        return DiscoveryInformation(node: node, features: [namespace])
    }

    public func items(of node: String, at address: JID?, for requester: JID?) async -> DiscoveryItems? { nil }

    /// The node is `urn:xmpp:delegation:2::NAMESPACE`, or with `:bare:` for the accounts of the server.
    private static func delegatedNamespace(in node: String) -> String? {
        for version in [2, 1] {
            for kind in ["::", ":bare:"] {
                let prefix = "urn:xmpp:delegation:\(version)\(kind)"
                if node.hasPrefix(prefix), node.utf8.count > prefix.utf8.count {
                    return String(node.dropFirst(prefix.count))
                }
            }
        }
        return nil
    }
}
