/// What an archive can do, as service discovery tells it (XEP-0313 Message Archive Management §7).
public struct ArchiveCapabilities: Sendable, Hashable {
    /// There is an archive.
    public var isAvailable: Bool
    /// It finds messages by their identifiers, sends pages in reverse, and says where it begins and ends.
    public var isExtended: Bool
    /// It understands ``ArchiveFilter/includesGroupChat``.
    public var understandsGroupChatField: Bool
    /// It keeps messages of rooms in the account's archive.
    public var hasGroupChat: Bool
    /// It puts the identifiers of the archive into live messages, so that they can be believed (XEP-0359).
    public var assignsIdentifiers: Bool

    init(features: Set<String>) {
        let namespace = ArchiveQuery.name.namespace
        isAvailable = features.contains(namespace)
        isExtended = features.contains(namespace + "#extended")
        understandsGroupChatField = features.contains(namespace + "#groupchat-field")
        hasGroupChat = features.contains(namespace + "#groupchat-available")
        // An archive of this version assigns them by its own rules (XEP-0313 §3.5).
        assignsIdentifiers = isAvailable || features.contains("urn:xmpp:sid:0")
    }
}
