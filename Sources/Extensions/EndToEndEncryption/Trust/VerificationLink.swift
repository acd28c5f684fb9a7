public import OMEMO
public import XMPPAddress

/// The fingerprints of an account's devices as an `xmpp:` URI, for a QR code or a link on paper.
///
///     xmpp:juliet@capulet.example?omemo-sid-31415=623548d3…;omemo-sid-27183=b423f508…
///
/// This is the form that programs of both generations write. Trust message URIs (XEP-0434 §7.2) are read as well. Use a link only if
/// it came from the owner of the account, and only after asking the user.
public struct VerificationLink: Sendable, Hashable {
    public struct Entry: Sendable, Hashable {
        /// `nil` if the URI does not contain it.
        public var device: OMEMODevice?
        public var fingerprint: KeyFingerprint

        public init(_ device: OMEMODevice?, _ fingerprint: KeyFingerprint) {
            (self.device, self.fingerprint) = (device, fingerprint)
        }
    }

    /// The bare address.
    public let account: JID
    public var entries: [Entry]
    /// Fingerprints that the owner says are not his.
    public var distrusted: [KeyFingerprint]

    public init(_ account: JID, _ entries: [Entry], distrusted: [KeyFingerprint] = []) {
        self.account = account.bare
        self.entries = entries
        self.distrusted = distrusted
    }

    /// Reads a URI; `nil` if it has no fingerprint of an account. Parameters that are not understood are ignored, and so is
    /// what is more than `OMEMOLimits.devices` entries.
    public init?(_ text: String) {
        guard let uri = try? XMPPURI(text), let address = uri.address, address.local != nil, let action = uri.action
        else { return nil }
        self.init(address, [])
        if action == Self.trustMessage {
            guard uri["encryption"].map({ Self.schemes.contains($0) }) == true else { return nil }
            for parameter in uri.parameters.prefix(OMEMOLimits.devices) {
                guard let fingerprint = KeyFingerprint(parameter.value) else { continue }
                switch parameter.key {
                case "trust": entries.append(Entry(nil, fingerprint))
                case "distrust": distrusted.append(fingerprint)
                default: break
                }
            }
        } else {
            // The form has no query type: the first pair is in its place.
            let first = action.split(separator: "=", maxSplits: 1).map(String.init)
            guard first.count == 2 else { return nil }
            let pairs = [XMPPURI.Parameter(first[0], first[1])] + uri.parameters
            for pair in pairs.prefix(OMEMOLimits.devices) where pair.key.hasPrefix(Self.devicePrefix) {
                guard let device = OMEMODevice(String(pair.key.dropFirst(Self.devicePrefix.count))),
                    let fingerprint = KeyFingerprint(pair.value)
                else { continue }
                entries.append(Entry(device, fingerprint))
            }
        }
        guard !entries.isEmpty || !distrusted.isEmpty else { return nil }
    }

    /// The URI with the devices whose id is known.
    public var uri: String {
        let pairs = entries.compactMap { entry in
            entry.device.map { "\(Self.devicePrefix)\($0)=\(entry.fingerprint.digits)" }
        }
        let address = XMPPURI(account).description
        return pairs.isEmpty ? address : address + "?" + pairs.joined(separator: ";")
    }

    private static let devicePrefix = "omemo-sid-"
    private static let trustMessage = "trust-message"
    private static let schemes = Set(OMEMOGeneration.allCases.map(\.namespace)).union(["urn:xmpp:atm:1"])
}
