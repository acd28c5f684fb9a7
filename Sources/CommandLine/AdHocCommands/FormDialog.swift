internal import ChatModel
internal import DataForms
internal import Localization
internal import TerminalApp
internal import UserProfile

/// Asks the questions of a form at the terminal.
struct FormDialog {
    let form: DataForm
    /// What is answered already; such fields are not asked.
    let given: FormAnswers

    /// The answers; `nil` if the user ends the input.
    func answers() async throws(CommandError) -> [String: [String]]? {
        var values = try given.values(for: form)
        for field in form.questions {
            guard let name = field.name, given[name] == nil else { continue }
            let single = DataForm(kind: .form, fields: [field])
            while true {
                guard let answer = await ask(field) else { return nil }
                values[name] = answer
                let fault = single.faults(in: single.answered(with: [name: answer])).first
                guard let fault else { break }
                StandardOutput.report(Self.text(fault))
            }
        }
        return values
    }

    /// The sentence about a wrong answer.
    static func text(_ fault: DataFormFault) -> String { TerminalText.harmless(Wording.fault(fault)) }

    /// One answer; empty keeps the value that the form suggests.
    private func ask(_ field: DataFormField) async -> [String]? {
        // Only questions are asked, and each has a prompt.
        guard let question = FormField(field) else { return field.values }
        if let text = field.description?.trimmed, !text.isEmpty { StandardOutput.report(TerminalText.harmless(text)) }
        for (number, option) in zip(1..., field.options) {
            StandardOutput.report("  \(number)  \(TerminalText.harmless(option.label ?? option.value))")
        }
        let (prompt, isSecret) = (question.prompt(suggesting: field.values), question.kind == .secret)
        let line = await onOwnThread {
            isSecret ? TerminalMode.readSecret(prompt: prompt) : TerminalMode.readLine(prompt: prompt)
        }
        guard let line else { return nil }
        if line.isEmpty { return field.values }
        return question.values(ofLine: line)
    }
}
