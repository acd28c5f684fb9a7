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

    func show(_ refusal: ContactAddress.Refusal, of text: String) {
        showNotice(Wording.refusal(refusal, of: TerminalText.harmless(text)))
    }

    // MARK: Questions

    /// Asks for a confirmation; `onYes` runs in the background.
    func confirm(_ prompt: String, _ onYes: @escaping @MainActor () async -> Void) {
        question = Question(prompt: prompt) { [weak self] answer in
            guard let self else { return }
            if Wording.isYes(answer) { jobs.begin(onYes) } else { showNotice(localized("Nothing was changed.")) }
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
