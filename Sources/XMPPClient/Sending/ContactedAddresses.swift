import XMPPAddress
import XMPPStanzas

/// The addresses that know the full address of this session because the session has written to them.
struct ContactedAddresses {
    /// The maximum number of stored addresses of each kind; the oldest is removed first. A removed address gets no
    /// receipts from this session, unless it is a contact.
    static let limit = 4096

    private struct Recent {
        private var order: [JID] = []
        private var known: Set<JID> = []
        /// The address of the last insertion: most messages go where the one before went.
        private(set) var last: JID?

        func contains(_ address: JID) -> Bool { known.contains(address) }

        mutating func insert(_ address: JID) {
            guard address != last else { return }
            last = address
            guard known.insert(address).inserted else { return }
            order.append(address)
            if order.count > ContactedAddresses.limit { known.remove(order.removeFirst()) }
        }

        mutating func remove(_ address: JID) {
            guard known.remove(address) != nil else { return }
            last = nil
            order.removeAll { $0 == address }
        }
    }

    private var written = Recent()
    private var present = Recent()

    /// A full address includes only itself; a bare one includes all its resources.
    func contains(_ peer: JID) -> Bool {
        written.contains(peer) || written.contains(peer.bare) || present.contains(peer) || present.contains(peer.bare)
    }

    /// Records sent stanzas: texts, and directed presence until it is withdrawn (RFC 6121 §4.6.3).
    mutating func sent(_ stanza: AnyStanza) {
        switch stanza {
        case .message(let message):
            guard message.to != written.last, let receiver = Self.receiver(ofText: stanza) else { return }
            written.insert(receiver)
        case .presence(let presence):
            if presence.isBroadcast, presence.type == .unavailable { present = Recent() }
            guard let receiver = presence.to else { return }
            switch presence.type {
            case .available: present.insert(receiver)
            case .unavailable: present.remove(receiver)
            default: break
            }
        case .iq: break
        }
    }

    /// The receiver of a text; `nil` for other stanzas.
    static func receiver(ofText stanza: AnyStanza) -> JID? {
        guard case .message(let message) = stanza, !message.isError, message.isMessageWithBody else { return nil }
        return message.to
    }

    /// Records that texts were sent.
    mutating func wrote(to receivers: [JID]) {
        for receiver in receivers { written.insert(receiver) }
    }

    /// A new session has not sent presence to the receivers of the previous one (RFC 6121 §4.6.2).
    mutating func sessionBegan() { present = Recent() }
}
