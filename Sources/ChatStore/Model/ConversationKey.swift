public import MessageSemantics
public import XMPPAddress

/// Which conversation a message belongs to.
public struct ConversationKey: Hashable, Sendable, Codable {
    public typealias Kind = ConversationAddress.Kind

    public let account: AccountID
    public let address: JID
    public let kind: Kind

    /// - Parameter address: made bare where the kind is about bare addresses.
    public init(account: AccountID, address: JID, kind: Kind) {
        self.init(account: account, ConversationAddress(address, kind: kind))
    }

    public init(account: AccountID, _ conversation: ConversationAddress) {
        self.account = account
        address = conversation.address
        kind = conversation.kind
    }

    /// The conversation inside its account.
    public var conversation: ConversationAddress { ConversationAddress(address, kind: kind) }
}
