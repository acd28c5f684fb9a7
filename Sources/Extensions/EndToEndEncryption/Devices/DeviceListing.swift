public import OMEMO
public import XMPPAddress

/// The devices of one account as it announces them: the lists of both generations as one.
public struct DeviceListing: Sendable, Hashable {
    /// Why the list of a generation is not known.
    public enum Failure: String, Sendable, Hashable, CaseIterable {
        /// The account's server lets only some read it: the node has the wrong access model. Some servers answer like this
        /// where there is no list at all.
        case forbidden
        /// It cannot be read.
        case damaged
        /// It has more than `OMEMOLimits.devices` entries, which no person has.
        case tooManyDevices = "too-many-devices"
        /// The account's server did not answer, or this session is offline.
        case unreachable
    }

    /// The bare address.
    public let account: JID
    /// At most ``EncryptionLimits/devices``, sorted by id.
    public var devices: [AnnouncedDevice]
    /// The generations whose list could not be read. The devices of an earlier answer are still in ``devices``.
    public var failures: [OMEMOGeneration: Failure]
    /// Devices that were left out because the account announces too many: they will not be able to read.
    public var omittedCount: Int

    public init(
        _ account: JID, devices: [AnnouncedDevice] = [], failures: [OMEMOGeneration: Failure] = [:],
        omittedCount: Int = 0
    ) {
        self.account = account.bare
        self.devices = devices
        self.failures = failures
        self.omittedCount = omittedCount
    }

    public subscript(_ id: OMEMODevice) -> AnnouncedDevice? { devices.first { $0.id == id } }
}

/// A device in a ``DeviceListing``.
public struct AnnouncedDevice: Sendable, Hashable {
    public let id: OMEMODevice
    /// The generations in whose list it is; at least one.
    public var generations: Set<OMEMOGeneration>
    public var label: DeviceLabel

    public init(_ id: OMEMODevice, _ generations: Set<OMEMOGeneration>, label: DeviceLabel = .none) {
        self.id = id
        self.generations = generations
        self.label = label
    }

    /// The newest generation that it announces: the one in which messages are encrypted for it.
    public var newest: OMEMOGeneration { generations.contains(.current) ? .current : .legacy }
}

/// What the user of a device calls it, and whether that may be shown (XEP-0384 §5.3.1).
public enum DeviceLabel: Sendable, Hashable {
    case none
    /// The identity key of the device is not known yet, so the signature could not be checked. Do not show it.
    case unchecked(OMEMODeviceList.Device)
    /// The device itself has signed it.
    case signed(String)
    /// Its signature is not by the device. It must be ignored.
    case forged

    /// The text that may be shown.
    public var text: String? { if case .signed(let text) = self { text } else { nil } }

    /// The label after the signature was checked with the identity key of the device.
    public func checked(by identity: IdentityKey, using cryptography: any OMEMOCryptography) -> DeviceLabel {
        guard case .unchecked(let entry) = self, let label = entry.label else { return self }
        return entry.isLabelSigned(by: identity, using: cryptography) ? .signed(label) : .forged
    }
}

/// A device of an account.
public struct DeviceAddress: Sendable, Hashable {
    /// The bare address.
    public let account: JID
    public let device: OMEMODevice

    public init(_ account: JID, _ device: OMEMODevice) {
        self.account = account.bare
        self.device = device
    }
}

/// A change of announced devices.
public enum DeviceEvent: Sendable, Hashable {
    /// The account announces other devices than before, or is known from now on.
    case listChanged(DeviceListing)
    /// Another program of this account has removed this device from the account's list. It is announced again, later
    /// each time that this happens.
    case ownDeviceMissing(OMEMOGeneration)
    /// This device is in the account's list again.
    case announcedAgain(OMEMOGeneration)
    /// The session was lost and another one has begun: what changed in between is not known, so each list is requested
    /// again when it is needed.
    case allOutdated
}
