public import XMPPAddress
internal import XMPPStanzas

/// One of the devices of a contact that are there, and what it says (RFC 6121 §4.7).
public struct ContactDevice: Identifiable, Hashable, Sendable {
    public enum Availability: Int, Sendable, Hashable, Comparable, CaseIterable {
        case chatty, available, away, extendedAway, busy

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The full address.
    public let address: JID
    public let availability: Availability
    public let status: String?
    /// −128 to 127; messages go to the device with the highest one, and to none with a negative one.
    public let priority: Int

    public var id: JID { address }
    /// What the device calls itself.
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
