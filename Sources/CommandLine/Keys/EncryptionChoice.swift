internal import ChatEngine
internal import Localization
internal import TerminalApp

/// Whether messages of an account are encrypted end to end, as the user types it.
struct EncryptionChoice: Sendable, Equatable {
    /// `nil` is off: no keys are published, and nothing is decrypted.
    let policy: EncryptionPolicy?

    static let option = OptionParser.Option(
        "encryption", value: "always|when-possible|never|off", "whether messages are encrypted end to end (OMEMO)")

    init(_ policy: EncryptionPolicy?) { self.policy = policy }

    /// The value of `--encryption`; `nil` if the option is missing, so that the account keeps what it has.
    init?(_ options: OptionParser.Result) throws(CommandError) {
        guard let text = options["encryption"] else { return nil }
        guard let choice = Self(word: text) else {
            throw .usage(
                localized(
                    "“%@” is not a value of --encryption; use always, when-possible, never or off.",
                    TerminalText.harmless(text)))
        }
        self = choice
    }

    /// `nil` for any other word.
    init?(word: String) {
        if word == Self.off {
            self.init(nil)
        } else {
            guard let policy = EncryptionPolicy(word: word) else { return nil }
            self.init(policy)
        }
    }

    var word: String { policy?.word ?? Self.off }

    private static let off = "off"
}
