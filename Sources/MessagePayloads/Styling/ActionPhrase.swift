public import XMPPStanzas

extension Message {
    /// What the sender does, if the body begins with `/me ` (XEP-0245 The /me Command §2): `shrugs in disgust` for
    /// `/me shrugs in disgust`.
    ///
    /// Show it with the sender's name in front, and so that nobody takes it for a notice of the room (§5).
    public var action: String? {
        guard let body, body.utf8.starts(with: "/me ".utf8) else { return nil }
        // Counted in code points: a combining mark after the space belongs to the phrase.
        return String(body.unicodeScalars.dropFirst(4))
    }
}
