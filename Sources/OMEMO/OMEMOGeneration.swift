/// The two generations of OMEMO that are in use. A device may announce itself in either or in both.
public enum OMEMOGeneration: UInt8, Sendable, Hashable, CaseIterable {
    /// `eu.siacs.conversations.axolotl` (XEP-0384 0.3): encrypts the body only.
    case legacy = 3
    /// `urn:xmpp:omemo:2` (XEP-0384 0.8 and later): encrypts an envelope of any elements.
    case current = 4

    /// The namespace of its elements.
    public var namespace: String {
        switch self {
        case .legacy: "eu.siacs.conversations.axolotl"
        case .current: "urn:xmpp:omemo:2"
        }
    }

    /// The PEP node of the device list.
    public var devicesNode: String {
        switch self {
        case .legacy: "eu.siacs.conversations.axolotl.devicelist"
        case .current: "urn:xmpp:omemo:2:devices"
        }
    }

    /// The PEP node of the bundle of `device`. In the current generation all bundles are items of one node, and the
    /// item's id is the device id.
    public func bundlesNode(of device: OMEMODevice) -> String {
        switch self {
        case .legacy: "eu.siacs.conversations.axolotl.bundles:\(device)"
        case .current: "urn:xmpp:omemo:2:bundles"
        }
    }

    /// The info string of the key agreement (XEP-0384 §4.2).
    var agreementInfo: [UInt8] { Array((self == .legacy ? "WhisperText" : "OMEMO X3DH").utf8) }
    /// The info string of a step of the root chain (XEP-0384 §4.3).
    var rootInfo: [UInt8] { Array((self == .legacy ? "WhisperRatchet" : "OMEMO Root Chain").utf8) }
    /// The info string of the keys of one message (XEP-0384 §4.3).
    var messageInfo: [UInt8] {
        Array((self == .legacy ? "WhisperMessageKeys" : "OMEMO Message Key Material").utf8)
    }
    /// The length to which the authentication code of a message is truncated, in bytes.
    var codeByteCount: Int { self == .legacy ? 8 : 16 }

    /// A public key as this generation writes it in messages: the legacy one puts the type of the curve, 5, before it.
    func encoded(_ publicKey: [UInt8]) -> [UInt8] { self == .legacy ? [5] + publicKey : publicKey }

    /// The 32 bytes of a public key as this generation writes it.
    func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        switch self {
        case .legacy: bytes.count == 33 && bytes[0] == 5 ? Array(bytes[1...]) : nil
        case .current: bytes.count == 32 ? bytes : nil
        }
    }
}
