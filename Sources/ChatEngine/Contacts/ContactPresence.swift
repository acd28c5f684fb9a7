public import ChatStore
internal import EntityInformation
internal import Roster
public import XMPPAddress
internal import XMPPStanzas

/// The presence of a contact's devices, combined (RFC 6121 §4).
public struct ContactPresence: Hashable, Sendable {
    /// The section of the contact list, in order.
    public enum Section: Int, Sendable, Comparable, CaseIterable {
        case online, away, offline

        public static func < (left: Section, right: Section) -> Bool { left.rawValue < right.rawValue }
    }

    public var section: Section
    /// The status text.
    public var status: String?
    /// The resources of its available devices.
    public var devices: [String]
    /// Since when the user has done nothing on any device, as they say (XEP-0319); `nil` while one is in use.
    public var idleSince: MessageTime?

    public init(section: Section, status: String? = nil, devices: [String] = [], idleSince: MessageTime? = nil) {
        self.section = section
        self.status = status
        self.devices = devices
        self.idleSince = idleSince
    }

    init(_ contact: Contact) {
        let section: Section =
            switch contact.section {
            case .online: .online
            case .away: .away
            case .offline: .offline
            }
        self.init(
            section: section, status: contact.status, devices: contact.resources.keys.compactMap(\.resource).sorted(),
            idleSince: Self.idleSince(contact.resources.values))
    }
}

extension ContactPresence {
    private static func idleSince(_ presences: some Collection<Presence>) -> MessageTime? {
        let times = presences.map { ((try? $0.payload(IdleTime.self)) ?? nil)?.since }
        guard !times.contains(nil) else { return nil }
        return times.compactMap { $0 }.max().map { MessageTime(millisecondsSince1970: $0.millisecondsSince1970) }
    }
}

/// An available device of a contact (RFC 6121 §4.7).
public struct ContactDevice: Identifiable, Hashable, Sendable {
    public enum Availability: Int, Sendable, Hashable, Comparable, CaseIterable {
        case chatty, available, away, extendedAway, busy

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The full address.
    public let address: JID
    public let availability: Availability
    public let status: String?
    /// −128 to 127; messages go to the device with the highest one, and never to a negative one.
    public let priority: Int

    public var id: JID { address }
    /// The name of the device: its resource.
    public var name: String { address.resource ?? address.description }

    public init(address: JID, availability: Availability, status: String? = nil, priority: Int = 0) {
        self.address = address
        self.availability = availability
        self.status = status.flatMap { $0.isEmpty ? nil : $0 }
        self.priority = priority
    }

    init(_ address: JID, _ presence: Presence) {
        let availability: Availability =
            switch presence.show {
            case nil: .available
            case .chat: .chatty
            case .away: .away
            case .extendedAway: .extendedAway
            case .doNotDisturb: .busy
            }
        self.init(
            address: address, availability: availability, status: presence.status, priority: Int(presence.priority))
    }
}

/// A request to see this account's presence (RFC 6121 §3.1.3).
public struct ContactRequest: Hashable, Sendable {
    public var address: JID
    /// The message of the request.
    public var text: String?
    /// It was pending already when the program last ended, and is not new.
    public var isRepeated: Bool

    public init(address: JID, text: String? = nil, isRepeated: Bool = false) {
        self.address = address.bare
        self.text = text
        self.isRepeated = isRepeated
    }
}

/// The result of adding a contact.
public enum ContactAddition: Sendable, Hashable {
    /// It was added, and the request was sent.
    case requested
    /// It was in the list already; nothing was sent.
    case alreadyContact
}
