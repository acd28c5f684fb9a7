public import MessagePayloads

/// The content of a message: a text, or a change of an earlier message.
public enum MessageContent: Hashable, Sendable, Codable {
    /// A text, with or without files.
    case text(MessageText)
    /// A new text for an earlier message (XEP-0308).
    case correction(of: TargetReference, MessageText)
    /// The retraction of an earlier message by its author (XEP-0424), or by a moderator of the room (XEP-0425).
    case retraction(of: TargetReference)
    /// The complete set of the sender's reactions to a message (XEP-0444 §3); an empty set removes them.
    case reactions(to: TargetReference, [String])

    public var kind: Kind {
        switch self {
        case .text: .text
        case .correction: .correction
        case .retraction: .retraction
        case .reactions: .reactions
        }
    }

    /// The message that it changes or reacts to, as the sender referred to it.
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
    /// The kind of content; stores save its number.
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
    /// The message that this one replies to (XEP-0461).
    public var reply: TargetReference?
    public var attachments: [Attachment]
    /// What is behind a link of the text, as the sender says (XEP-0511).
    public var link: LinkDescription?

    public init(
        _ body: String, subject: String? = nil, thread: String? = nil, reply: TargetReference? = nil,
        attachments: [Attachment] = [], link: LinkDescription? = nil
    ) {
        self.body = body
        self.subject = subject
        self.thread = thread
        self.reply = reply
        self.attachments = attachments
        self.link = link
    }
}
