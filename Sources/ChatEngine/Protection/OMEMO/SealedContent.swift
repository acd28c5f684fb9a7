internal import FileSharing
internal import MessageFeatures
internal import XMLStreaming
internal import XMPPStanzas

/// The parts of a message that are encrypted, and those that stand beside them.
struct SealedContent {
    private let message: Message
    /// The elements for an envelope (XEP-0420).
    let inside: [XMLElement]
    /// The text for the legacy generation; `nil` if there is none.
    let body: String?
    private let isRetraction: Bool

    init(_ message: Message) {
        self.message = message
        inside = message.payloads.filter { !Message.staysOutside($0) }.map(SharedFile.encryptingSources)
        isRetraction = message.payloads.contains(MessageRetraction.name)
        let isReaction = message.payloads.contains(MessageReactions.name)
        body = isReaction || isRetraction ? nil : message.body
    }

    /// The legacy generation carries a text. Which message is taken back is said in clear there, as all its programs
    /// do; which emoji is meant would be readable, so reactions are not sent to it.
    var isForLegacy: Bool { body != nil || isRetraction }

    /// The message without what is encrypted.
    func outside(isForLegacy: Bool) -> Message {
        var outer = message.withoutEncryption
        guard isForLegacy else { return outer }
        for payload in message.payloads where Message.accompaniesLegacy(payload) { outer.payloads.append(payload) }
        if isRetraction {
            if let retraction = message.payloads.first(MessageRetraction.name) { outer.payloads.append(retraction) }
            outer.body = message.body
        }
        return outer
    }
}
