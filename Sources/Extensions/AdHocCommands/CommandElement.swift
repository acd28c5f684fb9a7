public import DataForms
public import XMLStreaming
public import XMPPStanzas

/// What a requester wants of a command, or may want next (XEP-0050 Ad-Hoc Commands §4.1).
public enum CommandAction: String, Sendable, Hashable, CaseIterable {
    /// Begin, or do what the responder offers first.
    case execute
    case cancel
    /// Go back to the stage before.
    case previous = "prev"
    case next
    /// Finish with what has been answered.
    case complete
}

/// A sentence of the responder about a stage (XEP-0050 §4.3).
public struct CommandNote: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        case info, warn, error
    }

    public var severity: Severity
    public var text: String

    public init(_ text: String, severity: Severity = .info) {
        self.severity = severity
        self.text = text
    }
}

/// The element with which both sides of a command talk (XEP-0050 Ad-Hoc Commands §4).
///
/// ```
/// C: <iq type='set'><command xmlns='http://jabber.org/protocol/commands' node='config' action='execute'/></iq>
/// S: <iq type='result'><command xmlns='http://jabber.org/protocol/commands' node='config' sessionid='c1'
///                               status='executing'>
///      <actions execute='complete'><complete/></actions>
///      <note type='info'>The change needs a restart.</note>
///      <x xmlns='jabber:x:data' type='form'>…</x></command></iq>
/// ```
public struct CommandElement: XMLPayload, Equatable {
    /// What became of a command (§4.1).
    public enum Status: String, Sendable, Hashable, CaseIterable {
        case executing, completed, canceled
    }

    /// What a requester may do at a stage (§3.4).
    public struct Actions: Sendable, Equatable {
        /// Of ``CommandAction/previous``, ``CommandAction/next`` and ``CommandAction/complete``.
        public var allowed: Set<CommandAction>
        /// What ``CommandAction/execute`` stands for.
        public var standard: CommandAction?

        public init(_ allowed: Set<CommandAction>, standard: CommandAction? = nil) {
            self.allowed = allowed
            self.standard = standard
        }
    }

    public static let name = XMLName("command", "http://jabber.org/protocol/commands")

    public var node: String
    public var sessionID: String?
    /// Set by the requester; `nil` means ``CommandAction/execute``.
    public var action: CommandAction?
    /// Set by the responder.
    public var status: Status?
    public var language: String?
    public var actions: Actions?
    public var notes: [CommandNote]
    public var form: DataForm?
    /// Other content; the earlier elements take precedence (§3.5).
    public var payloads: [XMLElement]

    public init(
        node: String, sessionID: String? = nil, action: CommandAction? = nil, status: Status? = nil,
        language: String? = nil, actions: Actions? = nil, notes: [CommandNote] = [], form: DataForm? = nil,
        payloads: [XMLElement] = []
    ) {
        self.node = node
        self.sessionID = sessionID
        self.action = action
        self.status = status
        self.language = language
        self.actions = actions
        self.notes = notes
        self.form = form
        self.payloads = payloads
    }

    /// - Throws: if there is no node, or the action is unknown. An unknown status counts as none.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(node: try element.required("node"), language: element.language)
        sessionID = element["sessionid"].flatMap { $0.isEmpty ? nil : $0 }
        if let word = element["action"], !word.isEmpty {
            guard let known = CommandAction(rawValue: word) else {
                throw XMLDecodingError(Self.name, .invalidAttribute("action", value: word))
            }
            action = known
        }
        status = element["status"].flatMap(Status.init(rawValue:))
        for child in element.children {
            if child.isNamed(Self.actionsName) {
                actions = Actions(
                    Set(child.children.compactMap { CommandAction(rawValue: $0.name.local) }),
                    standard: child["execute"].flatMap(CommandAction.init(rawValue:)))
            } else if child.isNamed(Self.noteName) {
                let severity = child["type"].flatMap(CommandNote.Severity.init(rawValue:)) ?? .info
                notes.append(CommandNote(child.text, severity: severity))
            } else if child.isNamed(DataForm.name), form == nil {
                form = try DataForm(from: child)
            } else {
                payloads.append(child)
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute(Self.languageName, language)
        writer.attribute("node", node)
        writer.attribute("sessionid", sessionID)
        writer.attribute("action", action?.rawValue)
        writer.attribute("status", status?.rawValue)
        if let actions {
            writer.start(Self.actionsName)
            writer.attribute("execute", actions.standard?.rawValue)
            for action in Self.order where actions.allowed.contains(action) {
                writer.element(XMLName(action.rawValue, Self.name.namespace), text: "")
            }
            writer.end()
        }
        for note in notes {
            writer.start(Self.noteName)
            writer.attribute("type", note.severity.rawValue)
            writer.text(note.text)
            writer.end()
        }
        form?.encode(to: &writer)
        for payload in payloads { writer.write(payload) }
        writer.end()
    }

    private static let actionsName = XMLName("actions", name.namespace)
    private static let noteName = XMLName("note", name.namespace)
    private static let languageName = XMLName("lang", "http://www.w3.org/XML/1998/namespace")
    /// The order of the schema.
    private static let order: [CommandAction] = [.previous, .next, .complete]
}

extension CommandElement: IQRequest, IQResponse {
    public typealias Response = CommandElement
    public static let iqType = IQ.Kind.set
}

/// Why a responder refuses a request of a command, besides the general conditions (XEP-0050 §4.4).
public enum CommandRefusal: String, Sendable, Hashable, CaseIterable {
    case malformedAction = "malformed-action"
    case badAction = "bad-action"
    case badLocale = "bad-locale"
    case badPayload = "bad-payload"
    case badSessionID = "bad-sessionid"
    case sessionExpired = "session-expired"

    /// The error for the requester, with a sentence for a person.
    public func error(_ text: String? = nil) -> StanzaError {
        StanzaError(
            self == .sessionExpired ? .notAllowed : .badRequest,
            text: text.map { LocalizedText($0) } ?? LocalizedText(),
            applicationCondition: XMLElement(XMLName(rawValue, CommandElement.name.namespace)))
    }

    /// The refusal in an error, if it names one.
    public init?(_ error: StanzaError) {
        guard let condition = error.applicationCondition,
            condition.name.namespace == CommandElement.name.namespace
        else { return nil }
        self.init(rawValue: condition.name.local)
    }
}
