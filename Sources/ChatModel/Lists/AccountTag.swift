public import ChatStore

/// What tells one account of a person from the others, where there are several: with which of them one writes must always be seen.
public struct AccountTag: Hashable, Sendable {
    /// The whole address.
    public let address: String
    /// For places with little room: the local part, or the whole address where another account has the same local part.
    public let short: String
}

extension AccountList {
    /// `nil` where the person has one account, switched off ones included, and for accounts that are not there.
    public func tag(of id: AccountID) -> AccountTag? {
        let rows = rows.elements
        guard rows.count > 1, let address = rows.first(where: { $0.id == id })?.address else { return nil }
        let name = address.unescapedLocal ?? address.description
        let isAmbiguous = rows.contains { $0.id != id && $0.address.unescapedLocal == address.unescapedLocal }
        return AccountTag(
            address: address.description, short: isAmbiguous ? address.description : name)
    }
}
