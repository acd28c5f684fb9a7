internal import Roster
internal import XMPPStanzas

/// Who of a contact's devices is there, and what they say (RFC 6121 §4).
public struct ContactPresence: Hashable, Sendable {
    /// Where a contact stands in a list, in this order.
    public enum Section: Int, Sendable, Comparable, CaseIterable {
        case online, away, offline

        public static func < (left: Section, right: Section) -> Bool { left.rawValue < right.rawValue }
    }

    public var section: Section
    /// What the contact says about its state.
    public var status: String?
    /// The resources of its available devices.
    public var devices: [String]

    public init(section: Section, status: String? = nil, devices: [String] = []) {
        self.section = section
        self.status = status
        self.devices = devices
    }

    init(_ contact: Contact) {
        let section: Section =
            switch contact.section {
            case .online: .online
            case .away: .away
            case .offline: .offline
            }
        self.init(
            section: section, status: contact.status, devices: contact.resources.keys.compactMap(\.resource).sorted())
    }
}
