public import ChatStore

/// A device of an account as a person looks at it: what the account announces, and what is known of its key.
public struct EncryptionDevice: Sendable, Hashable, Identifiable {
    /// A generation of OMEMO (XEP-0384).
    public enum Generation: String, Sendable, Hashable, Codable, CaseIterable {
        /// `urn:xmpp:omemo:2`.
        case current
        /// `eu.siacs.conversations.axolotl`.
        case legacy
    }

    /// The device id; a device that has changed its key is listed once with each key.
    public var device: UInt32
    /// 64 hexadecimal digits; `nil` while its keys were never seen.
    public var fingerprint: String?
    /// What its owner calls it; only if the device itself has signed it.
    public var label: String?
    /// Those that it announces, or has a session in.
    public var generations: Set<Generation>
    public var trust: DeviceTrust
    /// Whether the account announces the device with this key; `nil` while that cannot be requested.
    public var isAnnounced: Bool?
    public var isThisDevice: Bool
    /// When its key was seen first; `nil` if never.
    public var firstSeen: MessageTime?
    /// When a message of it was decrypted last, to the day, or its key was seen first.
    public var lastSeen: MessageTime?
    /// Nothing came from it for ``unusedTime``, while another device of the account was used. Messages are encrypted for
    /// it, unless the person excludes unused devices (``OMEMOProtection/excludesUnusedDevices``).
    public var isUnused: Bool

    public var id: String { "\(device)/\(fingerprint ?? "")" }

    /// The fingerprint in the eight groups of eight digits in which it is shown (XEP-0384 §8); empty without one.
    public var fingerprintGroups: [String] {
        guard var rest = fingerprint?[...] else { return [] }
        var groups: [String] = []
        while !rest.isEmpty {
            groups.append(String(rest.prefix(8)))
            rest = rest.dropFirst(8)
        }
        return groups
    }

    /// How long a device sends nothing before it counts as unused: 30 days, in milliseconds. Most people use each of
    /// their devices within a month, and a device that comes back can still be encrypted for.
    public static let unusedTime: Int64 = 30 * 86_400_000

    public init(
        device: UInt32, fingerprint: String? = nil, label: String? = nil, generations: Set<Generation> = [],
        trust: DeviceTrust = .undecided, isAnnounced: Bool? = nil, isThisDevice: Bool = false,
        firstSeen: MessageTime? = nil, lastSeen: MessageTime? = nil, isUnused: Bool = false
    ) {
        self.device = device
        self.fingerprint = fingerprint
        self.label = label
        self.generations = generations
        self.trust = trust
        self.isAnnounced = isAnnounced
        self.isThisDevice = isThisDevice
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.isUnused = isUnused
    }
}

extension [EncryptionDevice] {
    /// Marks the unused devices of one account.
    mutating func markUnused(now: MessageTime) {
        let end = now.advanced(by: -EncryptionDevice.unusedTime)
        guard contains(where: { $0.isThisDevice || ($0.lastSeen ?? end) > end }) else { return }
        for index in indices where !self[index].isThisDevice {
            self[index].isUnused = self[index].lastSeen.map { $0 <= end } ?? false
        }
    }

    /// This device first, then those that are announced, the last used ones first.
    mutating func sortForPeople() {
        sort { one, other in
            func rank(_ device: EncryptionDevice) -> Int {
                device.isThisDevice ? 0 : device.isAnnounced == false ? 2 : 1
            }
            if rank(one) != rank(other) { return rank(one) < rank(other) }
            if one.lastSeen != other.lastSeen {
                let none = MessageTime(millisecondsSince1970: .min)
                return (one.lastSeen ?? none) > (other.lastSeen ?? none)
            }
            return one.id < other.id
        }
    }
}
