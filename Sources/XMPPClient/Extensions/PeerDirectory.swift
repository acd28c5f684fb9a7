public import XMPPAddress

/// An extension that knows some peers of the account: the contact list, the rooms, the conversations of a program.
///
/// ``Session/mayLearnPresence(_:)`` and ``Session/follows(_:)`` ask all directories; one positive answer is enough.
///
/// One that knows the answers without waiting gives them on the session's event loop (``maySeePresence(_:in:)``,
/// ``follows(_:in:)``); otherwise the asynchronous functions are asked.
public protocol PeerDirectory: SessionExtension {
    /// Whether the peer may learn that this session is online; `nil` by default: ``maySeePresence(_:)`` finds out.
    func maySeePresence(_ peer: JID, in session: isolated Session) -> Bool?

    /// Whether the presence and personal events of the peer are processed; `nil` by default: ``follows(_:)`` finds out.
    func follows(_ peer: JID, in session: isolated Session) -> Bool?

    /// Whether the peer may learn that this session is online.
    nonisolated(nonsending) func maySeePresence(_ peer: JID) async -> Bool

    /// Whether the presence and personal events of the peer are processed.
    nonisolated(nonsending) func follows(_ peer: JID) async -> Bool
}

extension PeerDirectory {
    public func maySeePresence(_ peer: JID, in session: isolated Session) -> Bool? { nil }
    public func follows(_ peer: JID, in session: isolated Session) -> Bool? { nil }
    public nonisolated(nonsending) func maySeePresence(_ peer: JID) async -> Bool { false }
    public nonisolated(nonsending) func follows(_ peer: JID) async -> Bool { false }
}

extension Session {
    /// Whether a peer may learn that this session is online: the single rule for receipts, markers and responses to
    /// requests.
    ///
    /// Allowed are the account itself and its server, peers to whom this session sent a text or directed presence (RFC
    /// 6121 §4.6), because they already know its address, and peers known to a ``PeerDirectory``: contacts subscribed
    /// to our presence, occupants of a joined room, members of a conversation of the user. For all others this session
    /// looks as if it did not exist (RFC 6120 §13.10.2). A component is a service and does not hide.
    public func mayLearnPresence(_ peer: JID) async -> Bool {
        if let known = mayLearnPresenceAtOnce(peer) { return known }
        for directory in extensionTable.directories where directory.maySeePresence(peer, in: self) == nil {
            if await directory.maySeePresence(peer) { return true }
        }
        return false
    }

    /// Whether a peer may learn that this session is online, for code that cannot wait; `nil` if a directory has to find out, as
    /// ``mayLearnPresence(_:)`` lets it.
    public func mayLearnPresenceAtOnce(_ peer: JID) -> Bool? {
        if purpose == .component || isOwn(peer) || sender.hasContacted(peer, in: self) { return true }
        return anyDirectory { $0.maySeePresence(peer, in: self) }
    }

    /// Whether the presence and personal events of a peer are processed: those of the account itself, and of peers that
    /// a ``PeerDirectory`` follows. Announcements of all others are not stored and cause no requests.
    public func follows(_ peer: JID) async -> Bool {
        if let known = followsAtOnce(peer) { return known }
        for directory in extensionTable.directories where directory.follows(peer, in: self) == nil {
            if await directory.follows(peer) { return true }
        }
        return false
    }

    /// Whether the presence and personal events of a peer are processed, for code that cannot wait; `nil` if a directory has to find
    /// out, as ``follows(_:)`` lets it.
    public func followsAtOnce(_ peer: JID) -> Bool? {
        isOwn(peer) ? true : anyDirectory { $0.follows(peer, in: self) }
    }

    /// Whether one of the directories gives the answer `true`; `nil` if none does and one does not know it.
    private func anyDirectory(_ answer: (any PeerDirectory) -> Bool?) -> Bool? {
        var known: Bool? = false
        for directory in extensionTable.directories {
            switch answer(directory) {
            case true?: return true
            case false?: break
            case nil: known = nil
            }
        }
        return known
    }

    /// The account's own addresses and its server.
    private func isOwn(_ peer: JID) -> Bool {
        guard let own = machine.address else { return false }
        return peer.bare == own.bare || peer == own.domainJID
    }
}
