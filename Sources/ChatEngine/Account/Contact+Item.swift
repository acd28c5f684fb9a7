internal import ChatStore
internal import Roster

extension StoredContact {
    init(_ item: RosterItem) {
        let subscription: Subscription =
            switch item.subscription {
            case .to: .to
            case .from: .from
            case .both: .both
            case .none, .remove: .none
            }
        self.init(
            address: item.address, name: item.name, subscription: subscription, isPending: item.isPending,
            isApproved: item.isPreapproved, groups: item.groups.sorted())
    }
}
