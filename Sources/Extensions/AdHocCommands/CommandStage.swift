public import DataForms
public import XMLStreaming
public import XMPPAddress
internal import XMPPClient

/// A stage of a command of another address: what it says, what it asks, and what can be done next (XEP-0050 §3.4).
public struct CommandStage: Sendable, Equatable {
    public let responder: JID
    public let node: String
    /// The id of the execution, chosen by the responder.
    public let sessionID: String?
    public let status: CommandElement.Status
    public let notes: [CommandNote]
    /// A question of kind `form`, or a result.
    public let form: DataForm?
    /// Other content of the stage.
    public let payloads: [XMLElement]
    /// What the responder allows besides to cancel: at least one entry unless the command has ended.
    public let actions: Set<CommandAction>
    /// What a person most likely wants next; `nil` if the command has ended or the responder gives no hint.
    public let standardAction: CommandAction?
    let language: String?

    /// Whether the command was completed or canceled.
    public var isFinished: Bool { status != .executing }

    /// Whether the responder says that the command has failed.
    public var hasFailed: Bool { notes.contains { $0.severity == .error } }

    /// - Throws: a protocol violation, if the command continues without a session id.
    init(_ reply: CommandElement, _ request: CommandElement, at responder: JID) throws(ClientError) {
        self.responder = responder
        node = request.node
        sessionID = reply.sessionID ?? request.sessionID
        // Old responders leave the status out of their only answer.
        status = reply.status ?? .completed
        notes = reply.notes
        form = reply.form
        payloads = reply.payloads
        language = request.language
        guard status == .executing else {
            actions = []
            standardAction = nil
            return
        }
        guard sessionID != nil else {
            throw ClientError(.unreadableAnswer, "The command continues, but has no session id.")
        }
        guard let offered = reply.actions else {
            // Without <actions/> there is a single stage, and to execute is to complete.
            actions = [.complete]
            standardAction = .complete
            return
        }
        let allowed = offered.allowed.intersection([.previous, .next, .complete])
        let standard = offered.standard ?? .next
        // A default that is not allowed, or none at all, is the responder's mistake; it accepts `execute`.
        actions = allowed.isEmpty ? [.execute] : allowed
        standardAction =
            allowed.contains(standard) ? standard : [.next, .complete].first(where: allowed.contains) ?? .execute
    }
}
