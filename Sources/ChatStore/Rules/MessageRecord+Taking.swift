extension MessageRecord {
    mutating func take(_ content: MessageContent) {
        targetReference = content.target
        switch content {
        case .text(let text), .correction(_, let text):
            body = text.body
            subject = text.subject
            thread = text.thread
            reply = text.reply
        case .retraction: break
        case .reactions(_, let emojis):
            body = Set(emojis.filter { !$0.isEmpty && !$0.contains("\n") }).sorted().joined(separator: "\n")
        }
    }

    mutating func take(_ attachments: [Attachment]) {
        hasAttachments = !attachments.isEmpty
        media = kind == .text ? MediaKinds(attachments) : []
    }

    /// A better source replaces the time; the archive's earliest stamp counts where a message is there several times.
    mutating func takeTime(of copy: MessageCopy, rank: Int64?) {
        // When we wrote something we know better than who passed it on; only the archive knows what came before and after.
        if isOutgoing, copy.timeSource == .delay { return }
        guard
            copy.timeSource > timeSource
                || copy.timeSource == timeSource && timeSource != .clock && copy.time < time
        else { return }
        time = copy.time
        timeSource = copy.timeSource
        orderTime = copy.time
        orderRank = rank ?? 0
    }
}

extension MessageTime {
    /// A stamp of whole seconds that can mean the same moment as a later time, or a later one (XEP-0203 §3 asks for no more).
    func isWithinSecond(of later: MessageTime) -> Bool {
        millisecondsSince1970 % 1000 == 0 && later.millisecondsSince1970 - millisecondsSince1970 < 1000
    }
}
