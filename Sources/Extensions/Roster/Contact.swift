public import XMPPAddress
public import XMPPStanzas

/// A contact as a list shows it: the item that the server keeps, and who of its devices is there.
public struct Contact: Sendable, Hashable {
    /// Where a contact stands in a list, in this order.
    public enum Section: Int, Sendable, Hashable, Comparable, CaseIterable {
        case online, away, offline

        public static func < (left: Section, right: Section) -> Bool { left.rawValue < right.rawValue }
    }

    public var item: RosterItem
    /// The available devices, by full address, with what they said last.
    public var resources: [JID: Presence]

    public init(item: RosterItem, resources: [JID: Presence] = [:]) {
        self.item = item
        self.resources = resources
    }

    public var address: JID { item.address }
    public var displayName: String { item.displayName }

    /// The device that speaks for the contact: highest priority, then most available, then the address that sorts
    /// first. Devices of negative priority take no messages (RFC 6121 §4.7.2.3) and speak for nobody.
    public var primary: Presence? {
        resources.filter { $0.value.priority >= 0 }.min { left, right in
            if left.value.priority != right.value.priority { return left.value.priority > right.value.priority }
            if left.value.showValue != right.value.showValue { return left.value.showValue > right.value.showValue }
            return left.key < right.key
        }?.value
    }

    /// Online when the primary device is available or wants to talk; away when it is away or busy; else offline.
    public var section: Section {
        guard let primary else { return .offline }
        switch primary.show {
        case nil, .chat: return .online
        case .away, .extendedAway, .doNotDisturb: return .away
        }
    }

    /// What the contact says about its state, in the first language there is.
    public var status: String? {
        guard let status = primary?.status, !status.isEmpty else { return nil }
        return status
    }

    /// The order of a list: section, then name without regard to case, then address.
    public static func precedes(_ left: Contact, _ right: Contact) -> Bool {
        if left.section != right.section { return left.section < right.section }
        let names = (left.displayName.lowercased(), right.displayName.lowercased())
        return names.0 != names.1 ? names.0 < names.1 : left.address < right.address
    }
}
