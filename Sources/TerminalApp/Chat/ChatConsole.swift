internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// A question that the next line answers.
struct Question {
    var prompt: String
    var isSecret = false
    /// Called when the user cancels the question.
    var onCancel: @MainActor () async -> Void = {}
    var onAnswer: @MainActor (String) async -> Void
}

/// What is on the screen besides the models: the lines, the input row, an open question and the current activity.
@MainActor
final class ChatConsole {
    var transcript = Transcript()
    var input = InputLine()
    var question: Question?
    /// The activity that is shown in place of the status.
    var activity: String?
    let jobs = BackgroundJobs()

    /// The line of the command that is being performed, also in the jobs that it begins.
    @TaskLocal static var command: String?

    private let environment: ModelEnvironment

    init(_ environment: ModelEnvironment) { self.environment = environment }

    /// Whether the input is a message, and not a command or an answer.
    var isWriting: Bool { !input.isEmpty && !input.string.hasPrefix("/") && question == nil }

    // MARK: Lines

    /// Shows a line of the program itself; ignored in a cancelled task.
    func showNotice(_ text: String) {
        if !Task.isCancelled { show(text, of: .notice) }
    }

    /// Shows a line of the program that may contain text from the network.
    func showHarmless(_ text: String) { showNotice(TerminalText.harmless(text)) }

    func show(_ text: String, of author: TranscriptEntry.Author) {
        transcript.append(author, text, time: environment.now())
    }

    /// Shows why a command failed, and puts it back into the empty input, so that it can be corrected.
    func refuse(_ reason: String) {
        showHarmless(reason)
        if let line = Self.command, !Task.isCancelled, input.isEmpty, question == nil { input.replace(with: line) }
    }

    func refuse(_ refusal: ContactAddress.Refusal, of text: String) { refuse(Wording.refusal(refusal, of: text)) }

    // MARK: Questions

    /// Asks for a confirmation; `onYes` runs in the background.
    func confirm(_ prompt: String, _ onYes: @escaping @MainActor () async -> Void) {
        question = Question(prompt: prompt) { [weak self, command = Self.command] answer in
            guard let self else { return }
            guard Wording.isYes(answer) else { return showNotice(localized("Nothing was changed.")) }
            Self.$command.withValue(command) { jobs.begin(onYes) }
        }
    }
}

/// The tasks in the background that end with the chat.
@MainActor
final class BackgroundJobs {
    /// Called after a job that was not cancelled.
    var onEnd: @MainActor () -> Void = {}
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var last = 0

    func begin(_ job: @escaping @MainActor () async -> Void) {
        last += 1
        let number = last
        tasks[number] = Task { [weak self] in
            guard let self else { return }
            await job()
            tasks[number] = nil
            if !Task.isCancelled { onEnd() }
        }
    }

    func cancel() {
        for task in tasks.values { task.cancel() }
    }
}
