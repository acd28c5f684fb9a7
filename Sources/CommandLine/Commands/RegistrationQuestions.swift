internal import AccountRegistration
internal import TerminalApp

/// What a server wants to know before it makes an account: the person is asked for what goes beyond name and password.
enum RegistrationQuestions {
    /// The answers of the person at the terminal; `nil` when there is no terminal.
    static func answers(to query: RegistrationQuery) async -> [String: [String]]? {
        if let words = query.instructions { StandardOutput.report(TerminalText.harmless(words)) }
        var answers: [String: [String]] = [:]
        for (name, label) in questions(in: query) {
            let prompt = TerminalText.harmless(label) + ": "
            guard let answer = await onOwnThread({ TerminalMode.readLine(prompt: prompt) }) else { return nil }
            answers[name] = [answer]
        }
        return answers
    }

    /// The fields that need an answer: the required ones of the form, or all simple ones.
    private static func questions(in query: RegistrationQuery) -> [(name: String, label: String)] {
        let known: Set = ["username", "password", "key"]
        guard let form = query.form else {
            return query.fields.map { ($0.name, $0.name) }.filter { !known.contains($0.0) }
        }
        return form.fields.compactMap { field in
            guard let name = field.name, field.isRequired, field.kind != .hidden, field.kind != .fixed,
                !known.contains(name)
            else { return nil }
            return (name, field.label ?? name)
        }
    }
}
