internal import AdHocCommands
internal import DataForms
internal import Glibc
internal import JSONRPC
internal import Localization
internal import Roster
internal import TerminalApp
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Command {
    static let command = Command(
        name: "command", synopsis: "ADDRESS [NODE [FIELD=VALUE…]]",
        summary: "list or execute the commands of a server or bot",
        options: [
            .init("answers", value: "FILE", "read answers, one FIELD=VALUE on a line; - reads standard input"),
            .init("language", value: "TAG", "the language of questions and results, such as zh-CN"),
        ],
        remarks: {
            localized(
                "Without NODE the commands are listed. Questions that no FIELD=VALUE answers are asked at the terminal."
            )
        }
    ) { invocation in
        guard let text = invocation.arguments.first else { throw CommandError.usage(localized("Give an address.")) }
        let answers = try FormAnswers(invocation.arguments.dropFirst(2), file: invocation.options["answers"])
        let signIn = try await SignIn(invocation.connection)
        let responder = try signIn.address.responder(text)
        var configuration = signIn.configuration()
        configuration.add { AdHocCommands($0) }
        try await signIn.run(configuration) { session in
            let commands = try session.extensionInUse(AdHocCommands.self)
            let address = try await session.responder(at: responder, commands)
            guard let node = invocation.arguments.dropFirst().first else {
                let items = try await commands.commands(of: address)
                if items.isEmpty { invocation.showText(localized("%@ has no commands for you.", address)) }
                for item in items {
                    invocation.show(
                        "\(TerminalText.harmless(item.node))  \(TerminalText.harmless(item.name))",
                        json: ["event": "command", "node": .string(item.node), "name": .string(item.name)])
                }
                return
            }
            let run = CommandRun(
                invocation: invocation, commands: commands, answers: answers,
                isInteractive: isatty(STDIN_FILENO) == 1 && !invocation.isJSON)
            try await run.execute(node, at: address, language: invocation.options["language"])
        }
    }
}

extension JID {
    /// The address of a server, service or account that executes commands, as the user types it: a word without `@` is
    /// a domain.
    fileprivate func responder(_ text: String) throws(CommandError) -> JID {
        guard let address = try? JID(text.trimmed) else {
            throw .usage(localized("“%@” is not an address.", TerminalText.harmless(text)))
        }
        return address
    }
}

extension Session {
    /// The address to ask: an account has commands at its programs, a contact's program that offers any is chosen.
    fileprivate func responder(at address: JID, _ commands: AdHocCommands) async throws -> JID {
        guard address.local != nil, address.resource == nil, let roster = self[Roster.self] else {
            return address
        }
        // Negative, so that messages for a real session do not arrive here (RFC 6121 §8.5.2.1).
        try await send(Presence(priority: -1))
        try await settle()
        let programs = await roster.contact(address)?.resources.keys.sorted { $0.description < $1.description }
        for program in programs ?? [] {
            guard let items = try? await commands.commands(of: program), !items.isEmpty else { continue }
            return program
        }
        return address
    }
}

/// One execution of a command, from its first question to its result.
private struct CommandRun {
    /// Stages of one execution. A responder that asks more questions than that asks in a circle.
    private static let maximumStages = 32

    let invocation: Invocation
    let commands: AdHocCommands
    let answers: FormAnswers
    let isInteractive: Bool

    func execute(_ node: String, at address: JID, language: String?) async throws {
        var stage = try await commands.start(node, at: address, language: language)
        var asked: [DataForm] = []
        for _ in 0..<Self.maximumStages where !stage.isFinished {
            if !invocation.isJSON { stage.notes.forEach { StandardOutput.report(FormText.note($0)) } }
            var submitted: DataForm?
            if let form = stage.form, form.kind == .form {
                asked.append(form)
                guard let filled = try await fill(form, in: stage, asked) else {
                    _ = try? await commands.perform(.cancel, in: stage)
                    throw CommandError.failed(localized("Canceled; nothing was done."))
                }
                submitted = filled
            }
            stage = try await commands.perform(stage.standardAction ?? .execute, answering: submitted, in: stage)
        }
        guard stage.isFinished else {
            _ = try? await commands.perform(.cancel, in: stage)
            throw CommandError.failed(localized("The command asks without end; it was canceled."))
        }
        show(stage)
        if stage.hasFailed { throw CommandError.failed(localized("The command failed.")) }
    }

    /// The form with its answers; `nil` if the user ends the input.
    private func fill(_ form: DataForm, in stage: CommandStage, _ asked: [DataForm]) async throws -> DataForm? {
        if let text = FormText.introduction(form), !invocation.isJSON { StandardOutput.report(text) }
        do {
            // Before the answers are sent that may end the command: a mistyped name must not execute it without them.
            if stage.standardAction != .next, let name = answers.unasked(in: asked).first {
                throw CommandError.usage(
                    localized("The command does not ask for “%@”.", TerminalText.harmless(name)) + "\n"
                        + FormText.questions(form))
            }
            if isInteractive {
                return try await FormDialog(form: form, given: answers).answers().map { form.answered(with: $0) }
            }
            let filled = form.answered(with: try answers.values(for: form))
            if let fault = form.faults(in: filled).first {
                throw CommandError.usage(FormDialog.text(fault) + "\n" + FormText.questions(form))
            }
            return filled
        } catch {
            _ = try? await commands.perform(.cancel, in: stage)
            throw error
        }
    }

    private func show(_ stage: CommandStage) {
        guard !invocation.isJSON else { return StandardOutput.writeLine(FormText.json(stage).description) }
        let notes = stage.notes.map(FormText.note)
        let text = (notes + [stage.form.map(FormText.result)].compactMap(\.self)).filter { !$0.isEmpty }
        StandardOutput.writeLine(text.isEmpty ? localized("Done.") : text.joined(separator: "\n\n"))
    }
}
