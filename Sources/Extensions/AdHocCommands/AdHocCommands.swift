public import DataForms
public import ServiceDiscovery
internal import Synchronization
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Offers commands to others, and executes those of others (XEP-0050 Ad-Hoc Commands).
///
///     configuration.add { ServiceDiscovery($0) }
///     configuration.add { AdHocCommands($0, offering: [uptime, deploy]) }
///
///     let commands = session[AdHocCommands.self]
///     var stage = try await commands.start("config", at: server)
///     while !stage.isFinished { stage = try await commands.perform(.execute, answering: form, in: stage) }
///
/// Strangers learn nothing of the commands: their requests get the error of an address without a client. With
/// `ServiceDiscovery` in the configuration others find the list under the node
/// `http://jabber.org/protocol/commands`.
public final class AdHocCommands: DiscoveryNodes {
    /// The node whose items are the commands of an address (§2.2).
    public static let listNode = CommandElement.name.namespace

    /// Requests that are answered at the same time, so that one long command does not delay the others.
    private static let width = 16

    private struct State {
        var offered: [Command] = []
        var sessions = CommandSessions()
    }

    private let session: Session
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter offered: commands of this session; ``offer(_:)`` adds others while it runs.
    public convenience init(_ session: Session, offering offered: [Command] = []) {
        self.init(session, offering: offered, now: { .now })
    }

    init(_ session: Session, offering offered: [Command], now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.session = session
        self.now = now
        state = Mutex(State())
        for command in offered { offer(command) }
    }

    // MARK: Offering

    /// The commands that this session offers.
    public var offered: [Command] { state.withLock { $0.offered } }

    /// Offers a command, instead of the one with the same node.
    public func offer(_ command: Command) {
        state.withLock { state in
            if let index = state.offered.firstIndex(where: { $0.node == command.node }) {
                state.offered[index] = command
            } else {
                state.offered.append(command)
            }
        }
    }

    /// Stops offering a command. Executions that have begun continue.
    public func withdraw(_ node: String) {
        state.withLock { $0.offered.removeAll { $0.node == node } }
    }

    /// Announced as long as there is something to execute (§2.1).
    public var features: [String] { offered.isEmpty ? [] : [Self.listNode, DataForm.name.namespace] }

    public var handlers: [IQHandler] {
        [
            IQHandler(.set, CommandElement.name, feature: .none) { [self] iq in
                guard let requester = iq.from, let payload = iq.payload else { throw StanzaError(.badRequest) }
                if let action = payload["action"], !action.isEmpty, CommandAction(rawValue: action) == nil {
                    throw CommandRefusal.malformedAction.error()
                }
                let request = try CommandElement(from: payload)
                let context = Command.Context(
                    requester: requester, address: iq.to, language: request.language ?? iq.language)
                return try await answer(request, in: context)
            }
            .concurrently(Self.width)
        ]
    }

    public func sessionEnded(_ session: Session) async {
        state.withLock { $0.sessions.removeAll() }
    }

    public func information(of node: String, for requester: JID?) async -> DiscoveryInformation? {
        if node == Self.listNode {
            return DiscoveryInformation(
                node: node, identities: [.init(category: "automation", type: "command-list")],
                features: [Self.listNode])
        }
        guard let requester, let command = await visible(node, to: requester) else { return nil }
        return DiscoveryInformation(
            node: node, identities: [.init(category: "automation", type: "command-node", name: command.name)],
            features: [Self.listNode, DataForm.name.namespace])
    }

    public func items(of node: String, at address: JID?, for requester: JID?) async -> DiscoveryItems? {
        var own = address
        if own == nil { own = await session.address }
        guard let own else { return nil }
        guard node == Self.listNode, let requester else {
            // A command has no items.
            guard let requester, await visible(node, to: requester) != nil else { return nil }
            return DiscoveryItems(node: node)
        }
        var items = DiscoveryItems(node: node)
        for command in offered {
            guard await command.isAllowed(requester) else { continue }
            items.items.append(.init(address: own, node: command.node, name: command.name))
        }
        return items
    }

    private func visible(_ node: String, to requester: JID) async -> Command? {
        guard let command = offered.first(where: { $0.node == node }) else { return nil }
        return await command.isAllowed(requester) ? command : nil
    }

    private func answer(_ request: CommandElement, in context: Command.Context) async throws -> CommandElement {
        guard let id = request.sessionID else {
            guard request.action == nil || request.action == .execute else { throw CommandRefusal.badAction.error() }
            return try await begin(request.node, for: context)
        }
        let entry = state.withLock { $0.sessions.take(id, by: context.requester, node: request.node, now: now()) }
        switch entry {
        case .unknown: throw CommandRefusal.badSessionID.error()
        case .ended: throw CommandRefusal.sessionExpired.error()
        case .busy: throw StanzaError(.unexpectedRequest, text: "The command still answers the request before.")
        case .open(var execution):
            // An error leaves the execution at the stage that it is at.
            do {
                let reply = try await proceed(with: request, id, &execution)
                state.withLock { state in
                    if reply.status == .executing {
                        state.sessions.putBack(execution, id: id, now: now())
                    } else {
                        state.sessions.end(id)
                    }
                }
                return reply
            } catch {
                state.withLock { $0.sessions.putBack(execution, id: id, now: now()) }
                throw error
            }
        }
    }

    private func begin(_ node: String, for context: Command.Context) async throws -> CommandElement {
        guard let command = offered.first(where: { $0.node == node }) else { throw StanzaError(.itemNotFound) }
        guard await command.isAllowed(context.requester) else { throw StanzaError(.forbidden) }
        let step = try await command.begin(context)
        let id = Self.newID()
        if step.next != nil {
            state.withLock { state in
                let execution = CommandSessions.Execution(
                    node: node, requester: context.requester, steps: [step], lastUse: now())
                state.sessions.begin(execution, id: id, now: now())
            }
        }
        return step.element(node: node, id: id, isFirst: true)
    }

    private func proceed(
        with request: CommandElement, _ id: String, _ execution: inout CommandSessions.Execution
    ) async throws -> CommandElement {
        guard let step = execution.steps.last, let next = step.next else { throw CommandRefusal.badAction.error() }
        switch request.action ?? .execute {
        case .cancel:
            return CommandElement(node: request.node, sessionID: id, status: .canceled)
        case .previous:
            guard execution.steps.count > 1 else { throw CommandRefusal.badAction.error() }
            execution.steps.removeLast()
        case .next where step.isLast: throw CommandRefusal.badAction.error()
        case .complete where !step.isLast: throw CommandRefusal.badAction.error()
        case .execute, .next, .complete:
            // XEP-0050 §3.5: a form of another kind counts as submitted.
            var answers = request.form ?? DataForm(kind: .submit)
            answers.kind = .submit
            if let fault = step.form?.faults(in: answers).first {
                throw CommandRefusal.badPayload.error(fault.description)
            }
            execution.steps.append(try await next(answers))
        }
        guard let shown = execution.steps.last else { throw CommandRefusal.badAction.error() }
        return shown.element(node: request.node, id: id, isFirst: execution.steps.count == 1)
    }

    /// Others cannot guess it: 128 random bits.
    private static func newID() -> String {
        let high = UInt64.random(in: .min ... .max)
        let low = UInt64.random(in: .min ... .max)
        return String(high, radix: 36) + String(low, radix: 36)
    }

    // MARK: Executing

    /// A command in the list of an address.
    public struct Item: Sendable, Hashable {
        public let node: String
        /// For a menu; the node if there is no name.
        public let name: String

        public init(node: String, name: String) {
            self.node = node
            self.name = name
        }
    }

    /// The commands of an address that this account may execute.
    ///
    /// Items of another address are left out, because they could lead the user to a command of another entity (§6).
    public func commands(of responder: JID) async throws(ClientError) -> [Item] {
        let items = try await session.request(DiscoveryItemsRequest(node: Self.listNode), to: responder)
        return items.items.compactMap { item in
            guard item.address == responder, let node = item.node else { return nil }
            return Item(node: node, name: item.name ?? node)
        }
    }

    /// Begins a command.
    ///
    /// - Parameter language: the language of the sentences and forms, as an RFC 5646 tag.
    public func start(
        _ node: String, at responder: JID, language: String? = nil
    ) async throws(ClientError) -> CommandStage {
        let request = CommandElement(node: node, action: .execute, language: language)
        return try CommandStage(try await session.request(request, to: responder), request, at: responder)
    }

    /// Continues a command.
    ///
    /// - Parameters:
    ///   - action: one of ``CommandStage/actions``, or `.cancel`.
    ///   - form: the answers; see `DataForm.answered(with:)`.
    /// - Throws: `ClientError`. With a refusal such as ``CommandRefusal/badPayload`` the stage stays valid.
    public func perform(
        _ action: CommandAction, answering form: DataForm? = nil, in stage: CommandStage
    ) async throws(ClientError) -> CommandStage {
        let request = CommandElement(
            node: stage.node, sessionID: stage.sessionID, action: action, language: stage.language, form: form)
        return try CommandStage(try await session.request(request, to: stage.responder), request, at: stage.responder)
    }
}

extension CommandStep {
    /// The stage as the requester gets it.
    func element(node: String, id: String, isFirst: Bool) -> CommandElement {
        var element = CommandElement(
            node: node, sessionID: id, status: next == nil ? .completed : .executing, notes: notes, form: form,
            payloads: payloads)
        if next != nil {
            let forward = isLast ? CommandAction.complete : .next
            element.actions = .init(isFirst ? [forward] : [.previous, forward], standard: forward)
        }
        return element
    }
}
