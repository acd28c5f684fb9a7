public import XMPPAddress
public import XMPPStanzas

/// A contact for display: the item that the server stores, and its available devices.
public struct Contact: Sendable, Hashable {
    /// The sections of a contact list, in order.
    public enum Section: Int, Sendable, Hashable, Comparable, CaseIterable {
        case online, away, offline

        public static func < (left: Section, right: Section) -> Bool { left.rawValue < right.rawValue }
    }

    public var item: RosterItem
    /// The available devices by full address, with their latest presence.
    public var resources: [JID: Presence]

    public init(item: RosterItem, resources: [JID: Presence] = [:]) {
        self.item = item
        self.resources = resources
    }

    public var address: JID { item.address }
    public var displayName: String { item.displayName }

    /// The presence of the device that represents the contact: highest priority, then most available, then the first
    /// address in sort order. Devices with negative priority receive no messages (RFC 6121 §4.7.2.3) and represent
    /// nothing.
    public var primary: Presence? {
        resources.filter { $0.value.priority >= 0 }.min { left, right in
            if left.value.priority != right.value.priority { return left.value.priority > right.value.priority }
            if left.value.showValue != right.value.showValue { return left.value.showValue > right.value.showValue }
            return left.key < right.key
        }?.value
    }

    /// Online if the primary device is available or wants to chat; away if it is away or busy; otherwise offline.
    public var section: Section {
        guard let primary else { return .offline }
        switch primary.show {
        case nil, .chat: return .online
        case .away, .extendedAway, .doNotDisturb: return .away
        }
    }

    /// The status text of the contact, in the first language there is.
    public var status: String? {
        guard let status = primary?.status, !status.isEmpty else { return nil }
        return status
    }

    /// The order of the list: section, then name case-insensitively, then address.
    public static func precedes(_ left: Contact, _ right: Contact) -> Bool {
        if left.section != right.section { return left.section < right.section }
        let names = (left.displayName.lowercased(), right.displayName.lowercased())
        return names.0 != names.1 ? names.0 < names.1 : left.address < right.address
    }
}
