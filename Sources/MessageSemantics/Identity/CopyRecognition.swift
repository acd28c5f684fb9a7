/// Which copies are copies of one message, beside the identifiers.
extension MessageOrigin {
    /// Whether two messages with the same identifiers can be copies of one message. That is less than the same author: from an
    /// archive without occupant ids there is nothing but the address to compare.
    public func canBeCopy(of other: MessageOrigin) -> Bool {
        switch kind {
        case .direct:
            return sender.bare == other.sender.bare
        case .room:
            if isOutgoing && other.isOutgoing { return true }
            if let one = occupantID, let two = other.occupantID { return one == two }
            return sender == other.sender
        case .occupant:
            return isOutgoing == other.isOutgoing && (isOutgoing || sender == other.sender)
        }
    }
}
