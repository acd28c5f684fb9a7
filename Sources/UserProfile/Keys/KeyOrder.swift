public import ChatEngine
public import ChatModel
public import ChatStore
public import JSONRPC
internal import Localization
public import XMPPAddress
public import XMPPClient

/// One request about the keys of end-to-end encryption: of `hongyan keys` to the account, in its own process or in the
/// program that uses the profile (the parameters of the method `keys`).
public struct KeyOrder: Codable, Sendable, Equatable {
    public enum Action: String, Codable, Sendable {
        /// Returns the devices of ``KeyOrder/address``.
        case list
        /// Returns everything that deserves attention.
        case audit
        /// Marks the keys that ``KeyOrder/key`` names as verified: a fingerprint, or an `xmpp:` URI with fingerprints.
        case verify
        case trust
        case distrust
        /// Removes the key with ``KeyOrder/key`` and its sessions.
        case forget
        /// Publishes the keys of this device again, and announces it.
        case publish
        /// Removes ``KeyOrder/device`` from the account's own lists.
        case remove
        /// Returns the `xmpp:` URI with the fingerprint of this device.
        case link
        /// Returns the policy of the conversation with ``KeyOrder/address``.
        case policy
        /// Sets it to ``KeyOrder/policy``; `nil` leaves it to the account.
        case setPolicy
        /// Returns whether messages are encrypted for unused devices; ``KeyOrder/excludesUnused`` changes that.
        case unused
    }

    /// The account, by its bare address.
    public var account: JID
    public var action: Action
    /// The account or the room that it is about; `nil` is the account itself.
    public var address: JID?
    public var key: String?
    public var device: UInt32?
    public var policy: EncryptionPolicy?
    /// Whether messages are not encrypted for devices that were not used for a month; `nil` leaves it as it is.
    public var excludesUnused: Bool?
    /// The timeout for the connection and the server, in seconds.
    public var timeout: Int

    public init(
        _ action: Action, of account: JID, at address: JID? = nil, key: String? = nil, device: UInt32? = nil,
        policy: EncryptionPolicy? = nil, excludesUnused: Bool? = nil, timeout: Int = SendOrder.timeout
    ) {
        self.account = account.bare
        self.action = action
        self.address = address
        self.key = key
        self.device = device
        self.policy = policy
        self.excludesUnused = excludesUnused
        self.timeout = timeout
    }
}

/// A device of an account as an order reports it: an `EncryptionDevice` for other programs.
public struct KeyReport: Codable, Sendable, Equatable {
    /// The bare address of its account.
    public var account: JID
    public var device: UInt32
    /// 64 hexadecimal digits; `nil` if its keys were never seen.
    public var fingerprint: String?
    /// Its name, which it has signed.
    public var label: String?
    public var trust: DeviceTrust
    public var isThisDevice: Bool
    /// `nil` while that cannot be requested.
    public var isAnnounced: Bool?
    /// Whether it was not used for a long time.
    public var isUnused: Bool
    public var generations: [EncryptionDevice.Generation]
    /// In milliseconds since 1970.
    public var firstSeen: Int64?
    public var lastSeen: Int64?

    init(_ device: EncryptionDevice, of account: JID) {
        self.account = account.bare
        self.device = device.device
        fingerprint = device.fingerprint
        label = device.label
        trust = device.trust
        isThisDevice = device.isThisDevice
        isAnnounced = device.isAnnounced
        isUnused = device.isUnused
        generations = EncryptionDevice.Generation.allCases.filter(device.generations.contains)
        firstSeen = device.firstSeen?.millisecondsSince1970
        lastSeen = device.lastSeen?.millisecondsSince1970
    }

    /// The device for `Wording`.
    public var encryptionDevice: EncryptionDevice {
        EncryptionDevice(
            device: device, fingerprint: fingerprint, label: label, generations: Set(generations), trust: trust,
            isAnnounced: isAnnounced, isThisDevice: isThisDevice,
            firstSeen: firstSeen.map { MessageTime(millisecondsSince1970: $0) },
            lastSeen: lastSeen.map { MessageTime(millisecondsSince1970: $0) }, isUnused: isUnused)
    }
}

/// Something about keys that deserves attention.
public struct KeyFinding: Codable, Sendable, Equatable {
    public enum Problem: String, Codable, Sendable, CaseIterable {
        /// Others cannot encrypt for this device.
        case notAnnounced = "not-announced"
        /// A key waits for a decision; nothing is encrypted for it.
        case undecided
        /// The device announces itself without usable keys; nothing is encrypted for it.
        case keysMissing = "keys-missing"
        /// It was not used for a long time.
        case unused
        /// It knows only the legacy generation.
        case legacyOnly = "legacy-only"
        /// A key that is trusted or verified belongs to a device that its account does not announce any more.
        case withdrawn
        /// Some messages of the account could not be decrypted; ``KeyFinding/count`` of the newest ones.
        case notDecrypted = "not-decrypted"
        /// Not everyone can read ``KeyFinding/node``, which has keys of this device.
        case nodeClosed = "node-closed"
        /// There is no ``KeyFinding/node``, which should have keys of this device.
        case nodeMissing = "node-missing"
    }

    public var problem: Problem
    public var account: JID
    /// `nil` if it concerns the account.
    public var device: KeyReport?
    public var count: Int?
    /// The name of a node of the account.
    public var node: String?
    /// Who can read the node (XEP-0060 §4.5).
    public var accessModel: String?
}

/// The result of a ``KeyOrder``.
public struct KeyAnswer: Codable, Sendable, Equatable {
    /// Whether the account is online; otherwise only what is stored here is known.
    public var isOnline: Bool
    /// Of `list`: all devices. Of the actions on keys: those that were changed.
    public var devices: [KeyReport] = []
    public var findings: [KeyFinding] = []
    public var link: String?
    public var policy: EncryptionPolicy?
    /// Whether the conversation has a policy of its own.
    public var isOwnPolicy: Bool?
    /// Of `unused`.
    public var excludesUnused: Bool?
    /// What came of a link, by fingerprints.
    public var verification: Verification?

    /// A `VerificationOutcome` for other programs.
    public struct Verification: Codable, Sendable, Equatable {
        public var verified: [String]
        public var distrusted: [String]
        public var unknown: [String]
        public var contradicting: [String]

        init(_ outcome: VerificationOutcome) {
            (verified, distrusted) = (outcome.verified, outcome.distrusted)
            (unknown, contradicting) = (outcome.unknown, outcome.contradicting)
        }

        public var outcome: VerificationOutcome {
            var outcome = VerificationOutcome()
            (outcome.verified, outcome.distrusted) = (verified, distrusted)
            (outcome.unknown, outcome.contradicting) = (unknown, contradicting)
            return outcome
        }
    }

    init(isOnline: Bool) { self.isOnline = isOnline }
}

/// Why an order about keys was not carried out.
public struct KeyFailure: Error, Sendable {
    public enum Code: String, Sendable, CaseIterable {
        /// The account has no end-to-end encryption.
        case off
        /// There is no connection, which this order needs.
        case offline
        /// No key with this fingerprint was seen at the account.
        case unknownKey = "unknown-key"
        /// Several keys begin with these digits.
        case ambiguous
        /// The link is of another account.
        case otherAccount = "other-account"
        /// The account announces no such device, or it is this one.
        case unknownDevice = "unknown-device"
        /// It is neither a fingerprint nor a link.
        case unreadable
        /// The keys of this device, or those of others, cannot be read or stored.
        case store
        /// The server refused it.
        case refused
        /// The program that uses the profile is not signed in to the account.
        case account
    }

    public var code: Code
    /// Why there is no connection; unknown if another program reports the failure in ``text``.
    public var cause: ClientError?
    /// Details, in the language of the program that uses the profile.
    public var text: String?

    package init(_ code: Code, cause: ClientError? = nil, text: String? = nil) {
        self.code = code
        self.cause = cause
        self.text = text
    }

    /// The failure of an order that another program tried to execute.
    public init?(_ fault: JSONRPCError) {
        guard let data = fault.data, let code = data["failure"]?.string.flatMap(Code.init) else { return nil }
        self.init(code, text: data["text"]?.string)
    }

    /// The failure as it is sent to the other program.
    var fault: JSONRPCError {
        JSONRPCError(
            JSONRPCError.refusedCode, code.rawValue, data: ["failure": .string(code.rawValue), "text": .text(text)])
    }
}

extension Wording {
    /// Why an order about keys was not carried out.
    public static func failure(_ failure: KeyFailure) -> String {
        switch failure.code {
        case .off:
            localized(
                "Encryption is off for this account; `hongyan keys policy when-possible` turns it on for programs that start later."
            )
        case .offline:
            failure.cause.map { Self.failure($0, domain: nil) } ?? failure.text
                ?? localized("This needs a connection; try again when the account is online.")
        case .unknownKey: localized("No device with this key was seen there; `hongyan keys ADDRESS` lists them.")
        case .ambiguous: localized("Several keys begin with these digits; give more of them.")
        case .otherAccount: localized("This link has the keys of %@.", failure.text ?? "?")
        case .unknownDevice:
            localized("The account announces no such other device; `hongyan keys` lists its devices.")
        case .unreadable:
            localized("Give the whole fingerprint, 64 hexadecimal digits, or a link with fingerprints.")
        case .store: failure.text ?? localized("The keys of this computer could not be read or stored.")
        case .refused: localized("The server does not allow it.")
        case .account:
            localized("The program that has the profile open is not signed in to this account; close it first.")
        }
    }
}
