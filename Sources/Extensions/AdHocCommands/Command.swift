public import DataForms
public import XMLStreaming
public import XMPPAddress

/// A command that this session offers to others (XEP-0050 Ad-Hoc Commands).
///
///     let uptime = Command(node: "uptime", name: "Uptime") { _ in .completed("Up for three days.") }
///
///     let deploy = Command(node: "deploy", name: "Deploy", isAllowed: { $0.bare == owner }) { _ in
///         .ask(DataForm(kind: .form, title: "Deploy", fields: [DataFormField(name: "branch", label: "Branch")])) { answers in
///             .completed("Deployed \(answers["branch"]?.values.first ?? "").")
///         }
///     }
///
/// A form is asked, checked against its own fields, and handed to the closure behind it, which returns the next stage.
public struct Command: Sendable {
    /// Who asks whom, and in which language.
    public struct Context: Sendable {
        /// The full address of the requester.
        public let requester: JID
        /// The address that was asked, of a component one of many.
        public let address: JID?
        /// The requester's language as an RFC 5646 tag; `nil` if it did not say (§3.6).
        public let language: String?
    }

    /// Identifies the command at this address.
    public let node: String
    /// The label in lists.
    public let name: String
    let isAllowed: @Sendable (JID) async -> Bool
    let begin: @Sendable (Context) async throws -> CommandStep

    /// - Parameters:
    ///   - isAllowed: whether an address may see and execute the command; by default every requester that this
    ///     session answers (`Session.mayLearnPresence(_:)`): contacts, occupants of its rooms, its own account; for a
    ///     component everybody.
    ///   - begin: returns the first stage. A `StanzaError` that it throws reaches the requester unchanged.
    public init(
        node: String, name: String, isAllowed: @escaping @Sendable (JID) async -> Bool = { _ in true },
        begin: @escaping @Sendable (Context) async throws -> CommandStep
    ) {
        self.node = node
        self.name = name
        self.isAllowed = isAllowed
        self.begin = begin
    }
}

/// One stage of a command that this session offers: a question, or the result.
public struct CommandStep: Sendable {
    typealias Continuation = @Sendable (DataForm) async throws -> CommandStep

    let form: DataForm?
    let notes: [CommandNote]
    let payloads: [XMLElement]
    /// What follows the answers; `nil` at the end.
    let next: Continuation?
    /// Whether the requester sees this question as the last one.
    let isLast: Bool

    /// A question.
    ///
    /// - Parameters:
    ///   - form: of kind `form`. Answers that miss a required field or a choice, or have a value of the wrong type, are
    ///     refused with `bad-payload`, and the question stays open.
    ///   - isLast: whether the requester's program offers to finish instead of to continue.
    ///   - next: gets the answers as a form of kind `submit`. If the requester goes back and answers again, it is
    ///     called again.
    public static func ask(
        _ form: DataForm, notes: [CommandNote] = [], isLast: Bool = true,
        next: @escaping @Sendable (_ answers: DataForm) async throws -> CommandStep
    ) -> CommandStep {
        CommandStep(form: form, notes: notes, payloads: [], next: next, isLast: isLast)
    }

    /// The end, with a sentence.
    public static func completed(_ text: String) -> CommandStep {
        .completed(notes: [CommandNote(text)])
    }

    /// The end, with a form of kind `result` or other content.
    public static func completed(
        _ result: DataForm? = nil, notes: [CommandNote] = [], payloads: [XMLElement] = []
    ) -> CommandStep {
        CommandStep(form: result, notes: notes, payloads: payloads, next: nil, isLast: true)
    }

    /// The end of a command that did not succeed (§4.1).
    public static func failed(_ text: String) -> CommandStep {
        .completed(notes: [CommandNote(text, severity: .error)])
    }
}
