internal import XMPPAddress
internal import XMPPStream

/// The address that the server gave to this session.
struct BindingHop: DiagnosisHop {
    var address: JID?
    var failure: StreamFailure?
    var duration: Duration?

    var place: DiagnosisPlace { .binding }

    var summary: Phrase { address.map { .verbatim($0) } ?? Phrase("no resource was given") }

    var problem: DiagnosisProblem? {
        guard address == nil else { return nil }
        return DiagnosisProblem(
            failure?.code.rawValue.dashed ?? "binding-failed",
            failure?.phrase ?? Phrase("The server broke the connection off."),
            advice: failure?.advice ?? Phrase("Try again later."))
    }

    var facts: [(String, JSONValue)] { [("address", .text(address))] }
}
