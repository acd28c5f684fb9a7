extension XMPPURI {
    /// What a link asks the program to do with its address (XEP-0147 XMPP URI Scheme Query Components).
    ///
    /// A link can come from anybody. A program therefore shows a request before it performs it: it fills in a composer
    /// or a form, and sends, adds or removes nothing until its user agrees (§5).
    public enum Request: Hashable, Sendable {
        /// Write a message: `?message;subject=…;body=…` (§3.1).
        case message(Draft)
        /// Add a contact and request its presence: `?subscribe` (§3.3.1).
        case subscribe
        /// End the subscription to a presence: `?unsubscribe` (§3.3.2).
        case unsubscribe
        /// Add or change a contact: `?roster;name=…;group=…` (§3.2.1).
        case addContact(ContactDetails)
        /// Remove a contact: `?remove` (§3.2.2).
        case removeContact
        /// Enter a room: `?join;password=…` (XEP-0045 §17.5).
        case enterRoom(password: String?)
        /// Invite an account into a room: `?invite;jid=…;password=…` (XEP-0045 §17.5).
        case invite(JID, password: String?)
        /// Create an account: `?register;preauth=…` (XEP-0445 §3).
        case register(token: String?)
        /// Execute a command: `?command;node=…` (XEP-0050 §8.4).
        case command(node: String)
    }

    /// A message that a link proposes.
    public struct Draft: Hashable, Sendable {
        public var subject: String?
        public var body: String?
        public var thread: String?

        public init(subject: String? = nil, body: String? = nil, thread: String? = nil) {
            self.subject = subject
            self.body = body
            self.thread = thread
        }
    }

    /// What a link says about a contact.
    public struct ContactDetails: Hashable, Sendable {
        public var name: String?
        public var groups: [String]
        /// Authenticates a subscription request (XEP-0379 §3.2).
        public var token: String?
        /// Whether the server of the contact lets the user create an account with the token (XEP-0401 §4.1).
        public var allowsRegistration: Bool

        public init(
            name: String? = nil, groups: [String] = [], token: String? = nil, allowsRegistration: Bool = false
        ) {
            self.name = name
            self.groups = groups
            self.token = token
            self.allowsRegistration = allowsRegistration
        }
    }

    /// The maximum length of a text that a link proposes, in characters; the rest is cut off. More fits into no message
    /// that a user reads before sending it.
    static let textLimit = 10_000
    /// The maximum length of a name, password or token, in bytes. A longer one is ignored.
    static let valueLimit = 1024
    /// The maximum number of groups.
    static let groupLimit = 16

    /// Creates a URI that asks for something.
    public init(_ address: JID, _ request: Request) {
        self.init(address)
        func parameter(_ key: String, _ value: String?) {
            if let value { parameters.append(Parameter(key, value)) }
        }
        switch request {
        case .message(let draft):
            action = "message"
            parameter("subject", draft.subject)
            parameter("body", draft.body)
            parameter("thread", draft.thread)
        case .subscribe: action = "subscribe"
        case .unsubscribe: action = "unsubscribe"
        case .addContact(let contact):
            action = "roster"
            parameter("preauth", contact.token)
            if contact.allowsRegistration { parameter("ibr", "y") }
            parameter("name", contact.name)
            for group in contact.groups { parameter("group", group) }
        case .removeContact: action = "remove"
        case .enterRoom(let password):
            action = "join"
            parameter("password", password)
        case .invite(let account, let password):
            action = "invite"
            parameter("jid", account.description)
            parameter("password", password)
        case .register(let token):
            action = "register"
            parameter("preauth", token)
        case .command(let node):
            action = "command"
            parameter("node", node)
        }
    }

    /// What the link asks for; `nil` for a link that only names an address, and for actions unknown here.
    ///
    /// The keys `from`, `id` and `type` of a message are ignored: who sends it, and how, is not for a link to decide.
    public var request: Request? {
        switch action {
        case "message":
            .message(Draft(subject: text("subject"), body: text("body"), thread: value("thread")))
        case "subscribe": .subscribe
        case "unsubscribe": .unsubscribe
        case "roster":
            .addContact(
                ContactDetails(
                    name: value("name"), groups: values("group"), token: value("preauth"),
                    allowsRegistration: self["ibr"] == "y"))
        case "remove": .removeContact
        case "join": .enterRoom(password: value("password"))
        case "invite": value("jid").flatMap { try? JID($0) }.map { .invite($0, password: value("password")) }
        case "register": .register(token: value("preauth"))
        case "command": value("node").map { .command(node: $0) }
        default: nil
        }
    }

    /// A value that identifies something: complete or not at all.
    private func value(_ key: String) -> String? { values(key).first }

    private func values(_ key: String) -> [String] {
        let all = parameters.lazy.filter { $0.key == key }.map(\.value)
        return Array(all.filter { !$0.isEmpty && $0.utf8.count <= Self.valueLimit }.prefix(Self.groupLimit))
    }

    /// A text for a composer: without control characters other than tabs and line breaks.
    private func text(_ key: String) -> String? {
        guard let value = self[key], !value.isEmpty else { return nil }
        var text = String.UnicodeScalarView()
        for scalar in value.prefix(Self.textLimit).unicodeScalars {
            switch scalar {
            case "\n", "\t": text.append(scalar)
            case "\r": break
            default: if scalar.properties.generalCategory != .control { text.append(scalar) }
            }
        }
        return text.isEmpty ? nil : String(text)
    }
}
