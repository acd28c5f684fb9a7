package import DataForms
internal import Localization
internal import XMPPClient
internal import XMPPStanzas

/// Texts about forms and commands.
extension Wording {
    /// The sentence about a wrong answer. The label comes from the form.
    package static func fault(_ fault: DataFormFault) -> String {
        switch fault.reason {
        case .missing: localized("“%@” needs an answer.", fault.label)
        case .tooMany: localized("“%@” takes one answer only.", fault.label)
        case .count: localized("“%@” takes another number of answers.", fault.label)
        case .notAnOption: localized("The answer to “%@” is not one of the choices.", fault.label)
        case .invalid: localized("The answer to “%@” is not valid.", fault.label)
        }
    }

    /// Whether a typed answer means yes.
    package static func isYes(_ answer: String) -> Bool {
        [localized("yes"), "yes", "y", "是"].contains(answer.lowercased())
    }

    /// A note of a responder, where its severity has no colour.
    package static func note(_ text: String, _ severity: CommandPage.Note.Severity) -> String {
        switch severity {
        case .information: text
        case .warning: localized("Warning: %@", text)
        case .failure: localized("Error: %@", text)
        }
    }

    /// Why a command did not start or continue.
    static func commandFailure(_ error: ClientError) -> String {
        switch error.stanzaError?.condition {
        case .itemNotFound?: localized("This command is no longer offered.")
        case .forbidden?, .notAllowed?, .notAuthorized?: localized("You may not execute this command.")
        case .badRequest?:
            error.stanzaError?.text.best(for: [languageTag]).flatMap { $0.isEmpty ? nil : $0 }
                ?? localized("The answers were not accepted.")
        default: failure(error)
        }
    }

    /// The user's language as an RFC 5646 tag.
    static var languageTag: String { Localization.language.replacing("_", with: "-") }
}
