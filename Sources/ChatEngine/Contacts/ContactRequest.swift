public import XMPPAddress

/// Somebody asks to see this account's presence (RFC 6121 §3.1.3).
public struct ContactRequest: Hashable, Sendable {
    public var address: JID
    /// What was said with it.
    public var text: String?
    /// It waited already when the program was ended the last time, and is no news.
    public var isRepeated: Bool

    public init(address: JID, text: String? = nil, isRepeated: Bool = false) {
        self.address = address.bare
        self.text = text
        self.isRepeated = isRepeated
    }
}

/// What became of adding a contact.
public enum ContactAddition: Sendable, Hashable {
    /// It is in the list, and the request was sent.
    case requested
    /// It was in the list already, and nothing was sent.
    case alreadyContact
}
