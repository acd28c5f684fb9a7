internal import ChatModel
internal import JSONRPC
internal import XMPPAddress

/// Whether the text is a valid address, and the name of its domain in DNS and certificates.
struct AddressCheck: DiagnosisCheck {
    var text: String
    var address: JID?
    var error: AddressError?

    init(_ text: String) {
        self.text = text
        do {
            address = try JID(text)
        } catch {
            self.error = error
        }
    }

    var step: DiagnosisStep { .address }
    var duration: Duration? { nil }

    var outcome: DiagnosisOutcome {
        guard let address else { return .failed }
        return address.local == nil ? .warning : .passed
    }

    var summary: Phrase {
        guard let address else { return Phrase("“%@” is not an address", text) }
        return .verbatim(address)
    }

    var details: [DiagnosisDetail] {
        guard let address else { return [] }
        var details: [DiagnosisDetail] = []
        if address.local == nil {
            details.append(.init(Phrase("This is a server without an account, so the login is not checked."), .warning))
        }
        if address.asciiDomain != address.domain, address.domainKind == .name {
            details.append(.init(Phrase("In DNS and certificates the domain is %@.", address.asciiDomain)))
        }
        return details
    }

    var problem: DiagnosisProblem? {
        error.map { error in
            DiagnosisProblem(
                "address-malformed", .wording { Wording.failure(error) }, advice: Phrase("Write it as user@domain."),
                .usage)
        }
    }

    var facts: [(String, JSONValue)] {
        [("address", .text(address)), ("domain", .text(address?.asciiDomain))]
    }
}
