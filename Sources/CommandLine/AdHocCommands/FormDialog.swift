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
    static func text(_ fault: DataFormFault) -> String {
        let label = TerminalText.harmless(fault.label)
        return switch fault.reason {
        case .missing: localized("“%@” needs an answer.", label)
        case .tooMany: localized("“%@” takes one answer only.", label)
        case .count: localized("“%@” takes another number of answers.", label)
        case .notAnOption: localized("The answer to “%@” is not one of the choices.", label)
        case .invalid: localized("The answer to “%@” is not valid.", label)
        }
    }

    /// One answer; empty keeps the value that the form suggests.
    private func ask(_ field: DataFormField) async -> [String]? {
        if let text = field.description?.trimmed, !text.isEmpty { StandardOutput.report(TerminalText.harmless(text)) }
        for (number, option) in zip(1..., field.options) {
            StandardOutput.report("  \(number)  \(TerminalText.harmless(option.label ?? option.value))")
        }
        var prompt = field.shownLabel
        if field.kind == .boolean { prompt += " (" + localized("yes/no") + ")" }
        let suggested = field.values.map { value in
            TerminalText.harmless(field.options.first { $0.value == value }?.label ?? value)
        }
        if !suggested.isEmpty, field.kind != .textPrivate { prompt += " [" + suggested.joined(separator: ", ") + "]" }
        prompt += ": "
        let isSecret = field.kind == .textPrivate
        let question = prompt
        let line = await onOwnThread {
            isSecret ? TerminalMode.readSecret(prompt: question) : TerminalMode.readLine(prompt: question)
        }
        guard let line else { return nil }
        if line.isEmpty { return field.values }
        return field.normalized(values(of: line, for: field))
    }

    /// The values in one line: options by number or name, several with commas where the field takes several.
    private func values(of line: String, for field: DataFormField) -> [String] {
        let takesMany = [.listMulti, .jidMulti].contains(field.kind)
        let words = takesMany ? line.split(separator: ",").map { String($0).trimmed } : [line]
        return words.map { word in
            guard let number = Int(word), field.options.indices.contains(number - 1),
                !field.options.contains(where: { $0.value == word })
            else { return word }
            return field.options[number - 1].value
        }
    }
}
