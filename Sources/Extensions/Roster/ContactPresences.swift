internal import XMPPAddress
internal import XMPPStanzas

/// The devices of contacts that are available, with what they said last (RFC 6121 §4.7).
///
/// Presence can come from anybody (RFC 6121 §4.6), so only that of addresses in the list is kept; before the list is there
/// that of a bounded number of addresses. Of each presence only what ``Contact`` shows is kept.
struct ContactPresences {
    /// How many devices of one contact are kept: more is an attack.
    static let deviceLimit = 64
    /// Of how many addresses presence is kept before the list is there. The list is asked for before presence is sent, so
    /// these are a few.
    static let unlistedLimit = 1024

    private var devices: [JID: [JID: Presence]] = [:]

    /// How many devices are known.
    var count: Int { devices.values.reduce(0) { $0 + $1.count } }

    subscript(_ contact: JID) -> [JID: Presence] { devices[contact] ?? [:] }

    /// - Parameter isListed: whether the address is in the list; `nil` before the list is there.
    /// - Returns: whether the presence was kept.
    mutating func available(_ presence: Presence, from sender: JID, isListed: Bool?) -> Bool {
        let contact = sender.bare
        switch isListed {
        case true?: break
        case false?: return false
        case nil: guard devices[contact] != nil || devices.count < Self.unlistedLimit else { return false }
        }
        guard devices[contact]?[sender] != nil || self[contact].count < Self.deviceLimit else { return false }
        devices[contact, default: [:]][sender] = presence.shown
        return true
    }

    /// A bare address stands for all devices.
    mutating func unavailable(_ sender: JID) {
        guard !sender.isBare else { return remove(sender) }
        guard devices[sender.bare]?.removeValue(forKey: sender) != nil else { return }
        if devices[sender.bare]?.isEmpty == true { devices[sender.bare] = nil }
    }

    mutating func remove(_ contact: JID) { devices[contact] = nil }
    mutating func removeAll() { devices = [:] }
    /// The list is there: who is not in it is no contact.
    mutating func removeAll(exceptIn list: some Collection<JID>) {
        let listed = Set(list)
        devices = devices.filter { listed.contains($0.key) }
    }
}

extension Presence {
    /// What of a presence a list of contacts shows; the rest would keep the whole stanza in memory.
    fileprivate var shown: Presence {
        var kept = Presence(show: show, status: shortStatus, priority: priority)
        kept.from = from
        return kept
    }
}
