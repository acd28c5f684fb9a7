public import MessageSemantics
public import OMEMO
public import XMPPAddress

/// An identity key that was seen at an account, and the user's trust in it.
public struct DeviceIdentity: Sendable, Hashable {
    /// The bare address.
    public let account: JID
    /// The device that had the key last.
    public var device: OMEMODevice
    public let key: IdentityKey
    public var trust: DeviceTrust

    public init(_ account: JID, _ device: OMEMODevice, _ key: IdentityKey, _ trust: DeviceTrust = .undecided) {
        self.account = account.bare
        self.device = device
        self.key = key
        self.trust = trust
    }
}

/// Which identity keys are trusted without asking the user.
///
/// Trust belongs to a key at an account, not to a device id: a device list can contain any id.
public enum DeviceTrustPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// New keys of an account are trusted until the person has verified or distrusted one of its keys; from then on each
    /// new one needs a decision ("blind trust before verification").
    case blindUntilVerified = "blind-until-verified"
    /// Each new key needs a decision.
    case decideEach = "decide-each"

    /// The relation of a key to the known keys of an account.
    public enum Finding: Sendable, Hashable {
        /// It was seen before at this account.
        case known(DeviceTrust)
        /// It was not, and neither was its device.
        case newDevice(DeviceTrust)
        /// The device had another key before. Programs choose a new device id with new keys, so this needs a decision,
        /// with either policy; show it in the conversation.
        case changedKey(from: [IdentityKey])

        /// The trust in the key now.
        public var trust: DeviceTrust {
            switch self {
            case .known(let trust), .newDevice(let trust): trust
            case .changedKey: .undecided
            }
        }
    }

    /// Compares a key with those that are known.
    ///
    /// - Parameter known: the identities of this account, and possibly others.
    public func examine(
        _ key: IdentityKey, of address: DeviceAddress, known: [DeviceIdentity],
        using cryptography: any OMEMOCryptography
    ) -> Finding {
        let ofAccount = known.filter { $0.account == address.account }
        if let identity = ofAccount.first(where: { key.isSame(as: $0.key, using: cryptography) }) {
            return .known(identity.trust)
        }
        let earlier = ofAccount.filter { $0.device == address.device }
        guard earlier.isEmpty else { return .changedKey(from: earlier.map(\.key)) }
        switch self {
        case .decideEach: return .newDevice(.undecided)
        case .blindUntilVerified:
            let isDecided = ofAccount.contains { $0.trust == .verified || $0.trust == .distrusted }
            return .newDevice(isDecided ? .undecided : .trusted)
        }
    }
}

extension DeviceTrust {
    /// Whether messages are encrypted for the device.
    public var mayRead: Bool {
        switch self {
        case .trusted, .verified: true
        case .undecided, .distrusted: false
        }
    }
}

extension IdentityKey {
    /// Whether both are the same key, in constant time. The Ed25519 form is not compared: its sign bit is not known where
    /// the key came from the legacy generation.
    public func isSame(as other: IdentityKey, using cryptography: any OMEMOCryptography) -> Bool {
        cryptography.areEqual(x25519, other.x25519)
    }
}
