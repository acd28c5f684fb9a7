/// What a message says or does.
public enum MessageContent: Hashable, Sendable, Codable {
    /// Something to read, with or without files.
    case text(MessageText)
    /// A new text for an earlier message (XEP-0308).
    case correction(of: TargetReference, MessageText)
    /// An earlier message taken back (XEP-0424), or by a room's moderator (XEP-0425).
    case retraction(of: TargetReference)
    /// All reactions that the sender now has to a message (XEP-0444 §3); none takes them back.
    case reactions(to: TargetReference, [String])

    public var kind: Kind {
        switch self {
        case .text: .text
        case .correction: .correction
        case .retraction: .retraction
        case .reactions: .reactions
        }
    }

    /// The message that it is about, as its sender named it.
    public var target: TargetReference? {
        switch self {
        case .text: nil
        case .correction(let target, _), .retraction(let target), .reactions(let target, _): target
        }
    }

    public var text: MessageText? {
        switch self {
        case .text(let text), .correction(_, let text): text
        case .retraction, .reactions: nil
        }
    }
}

extension MessageContent {
    /// Which of the four it is; stores keep the number.
    public enum Kind: Int, Sendable, Codable {
        case text = 0
        case correction = 1
        case retraction = 2
        case reactions = 3
    }
}

/// The readable part of a message.
public struct MessageText: Hashable, Sendable, Codable {
    public var body: String
    public var subject: String?
    /// The conversation thread (RFC 6121 §5.2.5).
    public var thread: String?
    /// The message that this one answers (XEP-0461).
    public var reply: TargetReference?
    public var attachments: [Attachment]

    public init(
        _ body: String, subject: String? = nil, thread: String? = nil, reply: TargetReference? = nil,
        attachments: [Attachment] = []
    ) {
        self.body = body
        self.subject = subject
        self.thread = thread
        self.reply = reply
        self.attachments = attachments
    }
}
