internal import ChatModel
internal import GTKBinding
internal import Localization

/// The dialog about an untrusted certificate, open as long as the connection waits for the decision.
final class CertificateDialog {
    private let inquiry: CertificateInquiry
    private let window: () -> Window?
    private(set) var shown: (details: CertificateDetails, dialog: MessageDialog)?

    init(_ inquiry: CertificateInquiry, over window: @escaping () -> Window?) {
        self.inquiry = inquiry
        self.window = window
        observe(self) { question in question.update() }
    }

    private func update() {
        let details = inquiry.details
        guard details != shown?.details else { return }
        if let shown {
            self.shown = nil
            shown.dialog.destroy()
        }
        guard let details else { return }
        let dialog = MessageDialog(
            localized("Is this really %@?", details.serverName),
            body: details.reason + "\n\n"
                + localized(
                    "Continue only if you got the fingerprint in another way, such as from the operators of the server."
                ),
            Self.facts(details))
        dialog.add("refuse", localized("_Do Not Trust")).add("once", localized("Trust _Once"))
            .add("always", localized("Trust _Always"), .destructive).byDefault("refuse").onEscape("refuse")
        shown = (details, dialog)
        dialog.present(over: window()) { [weak self] answer in self?.answered(answer) }
    }

    private func answered(_ answer: String) {
        guard shown != nil else { return }
        shown = nil
        inquiry.answer(answer == "always" ? .trustAlways : answer == "once" ? .trustOnce : .refuse)
    }

    private static func facts(_ details: CertificateDetails) -> Widget {
        let box = Box(.vertical, spacing: 8)
        func add(_ name: String, _ value: String, isCode: Bool = false) {
            let text = Label(value).wrap(maximumCharacters: 32).textAlignment(0).selectable()
            if isCode { text.css("monospace", "caption") }
            box.append(
                Box.vertical(Label(name).textAlignment(0).css("caption", "dim-label"), text))
        }
        add(localized("Issued to"), details.owner)
        add(localized("Issued by"), details.issuer)
        add(localized("Valid"), "\(details.validity.lowerBound) – \(details.validity.upperBound)")
        add(localized("Fingerprint (SHA-256)"), details.fingerprint, isCode: true)
        return box
    }
}
