internal import ChatEngine
internal import EndToEndEncryption
internal import Localization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress

/// The words after `hongyan keys`.
enum KeyRequest: Sendable {
    case order(KeyOrder)
    /// Shows the policy of an account, or changes it: in the list of accounts, without a connection.
    case account(EncryptionChoice?)

    /// The words that begin a request; any other first word is an address.
    private static let verbs: Set = [
        "verify", "trust", "distrust", "forget", "publish", "remove", "link", "policy", "unused", "audit",
    ]

    static let usage = [
        "keys [ADDRESS]", "keys verify ADDRESS FINGERPRINT|URI", "keys trust|distrust|forget ADDRESS FINGERPRINT",
        "keys policy [ADDRESS] [POLICY]", "keys unused [include|exclude]", "keys publish", "keys remove DEVICE",
        "keys link [--qr]", "keys audit",
    ]

    init(_ words: [String], of account: JID, timeout: Int?) throws(CommandError) {
        var order: KeyOrder
        switch (words.first, words.count) {
        case (nil, _): order = KeyOrder(.list, of: account)
        case (let name?, 1) where !Self.verbs.contains(name):
            order = KeyOrder(.list, of: account, at: try account.partner(name).bare)
        case ("audit"?, 1): order = KeyOrder(.audit, of: account)
        case ("publish"?, 1): order = KeyOrder(.publish, of: account)
        case ("link"?, 1): order = KeyOrder(.link, of: account)
        case ("remove"?, 2):
            guard let device = UInt32(words[1]), device > 0 else {
                throw .usage(localized("“%@” is not a device; `hongyan keys` lists them.", words[1]))
            }
            order = KeyOrder(.remove, of: account, device: device)
        case ("verify"?, 2):
            guard let link = VerificationLink(words[1]) else {
                throw .usage(localized("“%@” is not a link with fingerprints.", TerminalText.harmless(words[1])))
            }
            order = KeyOrder(.verify, of: account, at: link.account, key: words[1])
        case (let verb?, 3...) where ["verify", "trust", "distrust", "forget"].contains(verb):
            // A fingerprint may be written in groups.
            order = KeyOrder(
                Self.action(verb), of: account, at: try account.partner(words[1]).bare,
                key: words.dropFirst(2).joined())
        case ("unused"?, 1): order = KeyOrder(.unused, of: account)
        case ("unused"?, 2) where ["include", "exclude"].contains(words[1]):
            order = KeyOrder(.unused, of: account, excludesUnused: words[1] == "exclude")
        case ("policy"?, 1):
            self = .account(nil)
            return
        case ("policy"?, 2):
            if let choice = EncryptionChoice(word: words[1]) {
                self = .account(choice)
                return
            }
            order = KeyOrder(.policy, of: account, at: try account.partner(words[1]))
        case ("policy"?, 3):
            let policy = EncryptionPolicy(word: words[2])
            guard policy != nil || words[2] == Self.standard else {
                throw .usage(
                    localized(
                        "“%@” is not a policy; use always, when-possible, never or default.",
                        TerminalText.harmless(words[2])))
            }
            order = KeyOrder(.setPolicy, of: account, at: try account.partner(words[1]), policy: policy)
        default:
            throw .usage(localized("Use one of: %@", Self.usage.map { "`\($0)`" }.joined(separator: ", ")))
        }
        if let timeout { order.timeout = timeout }
        self = .order(order)
    }

    /// Leaves the policy of a conversation to the account.
    private static let standard = "default"

    private static func action(_ verb: String) -> KeyOrder.Action {
        switch verb {
        case "verify": .verify
        case "trust": .trust
        case "distrust": .distrust
        default: .forget
        }
    }
}
