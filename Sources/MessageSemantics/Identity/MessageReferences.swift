public import XMPPAddress

/// The name that an archive gave to a message (XEP-0359 §3.1); it means nothing without the archive that gave it.
///
///     S: <stanza-id xmlns='urn:xmpp:sid:0' id='28482-98726-73623' by='juliet@capulet.example'/>
public struct ArchiveReference: Hashable, Sendable, Codable {
    /// The archive's address: the account's own, or the room's.
    public let archive: JID
    public let id: String

    public init(archive: JID, id: String) {
        self.archive = archive
        self.id = id
    }
}

/// How a correction, reaction, retraction, reply, receipt or marker names the message it is about.
public enum TargetReference: Hashable, Sendable, Codable {
    /// By the `id` or origin-id that its sender chose; unique only together with its sender.
    case sent(id: String)
    /// By the name that an archive gave to it, as in rooms (XEP-0444 §4, XEP-0424 §3).
    case archived(ArchiveReference)
}

extension TargetReference {
    /// The name by which the protocol refers to the message.
    public var id: String {
        switch self {
        case .sent(let id): id
        case .archived(let reference): reference.id
        }
    }
}
