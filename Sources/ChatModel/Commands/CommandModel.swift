internal import AdHocCommands
public import ChatEngine
internal import DataForms
internal import Localization
public import Observation
public import XMPPAddress
internal import XMPPClient

/// The commands of an address, and one of them from its first question to its result (XEP-0050).
///
///     let model = CommandModel(bot, account: account)
///     await model.load()                               // .choosing: model.offers
///     await model.start(model.offers[0])               // .asking: model.page has the questions
///     model.answers["branch"] = ["main"]
///     await model.proceed()                            // .asking again, or .finished: model.page has the result
@MainActor
@Observable
public final class CommandModel {
    public enum Progress: Sendable, Hashable {
        /// The list is being requested.
        case loading
        case choosing
        /// The responder's answer is being waited for.
        case working
        /// ``CommandModel/page`` has to be filled in or read.
        case asking
        /// ``CommandModel/page`` is the result.
        case finished
    }

    /// The address whose commands these are.
    public let address: JID
    public private(set) var progress = Progress.choosing
    public private(set) var offers: [CommandService.Offer] = []
    /// Whether the list was requested successfully.
    public private(set) var isLoaded = false
    /// The command that was started.
    public private(set) var current: CommandService.Offer?
    public private(set) var page: CommandPage?
    /// The number of stages that were received. Two questions in turn can be the same.
    public private(set) var stageCount = 0
    /// The values of the fields by their ids.
    public var answers: [String: [String]] = [:]
    /// Why the last action failed, as a sentence.
    public private(set) var failure: String?
    /// The field that ``failure`` is about.
    public private(set) var wrongField: String?

    @ObservationIgnored private let account: ChatAccount
    @ObservationIgnored private var stage: CommandStage?

    public init(_ address: JID, account: ChatAccount) {
        self.address = address
        self.account = account
    }

    /// Whether the responder allows to return to the question before.
    public var canGoBack: Bool { progress == .asking && stage?.actions.contains(.previous) == true }
    /// Whether the answers are the last ones.
    public var isLastQuestion: Bool { stage.map { $0.standardAction != .next } ?? true }
    /// Whether the responder says that the command has failed.
    public var hasFailed: Bool { stage?.hasFailed ?? false }

    /// Requests the list.
    public func load() async {
        guard progress == .choosing else { return }
        failure = nil
        progress = .loading
        do throws(ClientError) {
            offers = try await account.commands.offers(of: address)
            isLoaded = true
        } catch {
            failure = Wording.failure(error)
        }
        if progress == .loading { progress = .choosing }
    }

    /// The command with a node or name.
    public func offer(named text: String) -> CommandService.Offer? {
        let wanted = text.lowercased()
        return offers.first { $0.node == text } ?? offers.first { $0.name.lowercased() == wanted }
    }

    /// Begins a command.
    public func start(_ offer: CommandService.Offer) async {
        guard progress == .choosing || progress == .finished else { return }
        current = offer
        stage = nil
        page = nil
        await step { account throws(ClientError) in
            try await account.commands.start(offer, language: Wording.languageTag)
        }
    }

    /// Sends the answers.
    public func proceed() async {
        guard progress == .asking, let stage else { return }
        var submitted: DataForm?
        if let form = stage.form, form.kind == .form {
            // An empty line belongs to a text of several lines; an empty answer is none.
            let kinds = Dictionary(form.fields.map { ($0.name, $0.kind) }, uniquingKeysWith: { first, _ in first })
            let given = Dictionary(
                answers.map { name, values in
                    let isText = kinds[name] == .textMulti && values.contains { !$0.isEmpty }
                    return (name, isText ? values : values.filter { !$0.isEmpty })
                }, uniquingKeysWith: { first, _ in first })
            let filled = form.answered(with: given)
            if let fault = form.faults(in: filled).first {
                (failure, wrongField) = (Wording.fault(fault), fault.field)
                return
            }
            submitted = filled
        }
        let action = stage.standardAction ?? .execute
        await step { account throws(ClientError) in
            try await account.commands.perform(action, answering: submitted, in: stage)
        }
    }

    /// Returns to the question before.
    public func goBack() async {
        guard canGoBack, let stage else { return }
        await step { account throws(ClientError) in
            try await account.commands.perform(.previous, answering: nil, in: stage)
        }
    }

    /// Ends the command without a result, and returns to the list.
    public func cancel() async {
        let open = stage.flatMap { $0.isFinished ? nil : $0 }
        (stage, page, current, failure, wrongField, answers) = (nil, nil, nil, nil, nil, [:])
        progress = .choosing
        // The responder forgets it by itself if this does not arrive.
        if let open { _ = try? await account.commands.perform(.cancel, answering: nil, in: open) }
    }

    /// The user is editing, so the error is cleared.
    public func edited() {
        if failure != nil { (failure, wrongField) = (nil, nil) }
    }

    private func step(
        _ body: @escaping (ChatAccount) async throws(ClientError) -> CommandStage
    ) async {
        let offer = current
        (failure, wrongField) = (nil, nil)
        progress = .working
        do throws(ClientError) {
            let next = try await body(account)
            guard current == offer, progress == .working else {
                // The user has cancelled meanwhile.
                if !next.isFinished { _ = try? await account.commands.perform(.cancel, answering: nil, in: next) }
                return
            }
            stage = next
            page = CommandPage(next)
            stageCount += 1
            let defaults = page?.fields.filter { $0.kind != .remark }.map { ($0.id, $0.values) } ?? []
            answers = Dictionary(defaults, uniquingKeysWith: { first, _ in first })
            progress = next.isFinished ? .finished : .asking
        } catch {
            guard current == offer, progress == .working else { return }
            failure = Wording.commandFailure(error)
            // A refusal leaves the command at its question (XEP-0050 §4.4).
            progress = stage == nil ? .choosing : .asking
            if stage == nil { current = nil }
        }
    }
}
