public import XMPPAddress
public import XMPPClient

/// An extension that answers service discovery for nodes of this session, such as a list of commands (XEP-0030 §3.2).
///
/// ``ServiceDiscovery`` asks every extension of the session that conforms; a node that none of them knows gets the
/// error `item-not-found`. Only requesters that may know that this session is online get this far.
public protocol DiscoveryNodes: SessionExtension {
    /// The identities and features of the node for `requester`; `nil` if there is no such node for them.
    func information(of node: String, for requester: JID?) async -> DiscoveryInformation?

    /// The items of the node for `requester`; `nil` if there is no such node for them.
    func items(of node: String, for requester: JID?) async -> DiscoveryItems?
}
