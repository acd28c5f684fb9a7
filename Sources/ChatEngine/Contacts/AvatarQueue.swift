internal import XMPPAddress

/// Which avatars are fetched next; few of one server at a time. Of changes of one person that wait only the last is fetched.
struct AvatarQueue {
    /// A change of an avatar; `nil` as the hash is "no avatar".
    struct Change: Equatable {
        var owner: JID
        var hash: String?
    }

    /// How many are fetched from one server at a time.
    static let serverLimit = 2
    /// How many are fetched at a time.
    static let limit = 16
    /// How many people wait at most. What is dropped is announced again with the next presence.
    static let waitingLimit = 4096

    private var queue = FairQueue<String, JID>(limit: limit, groupLimit: serverLimit, waitingLimit: waitingLimit)
    /// What the people who wait have announced last.
    private var hashes: [JID: String?] = [:]

    var waitingCount: Int { queue.waitingCount }

    /// - Returns: the change if it is fetched now; otherwise it waits.
    mutating func add(_ change: Change) -> Change? {
        if hashes[change.owner] != nil {
            hashes[change.owner] = .some(change.hash)
            return nil
        }
        switch queue.add(change.owner, of: change.owner.domain) {
        case .start: return change
        case .waiting: hashes[change.owner] = .some(change.hash)
        case .refused: break
        }
        return nil
    }

    /// - Returns: the change to be fetched in the place of the one that was.
    mutating func finished(_ change: Change) -> Change? {
        guard let owner = queue.finished(change.owner.domain) else { return nil }
        return Change(owner: owner, hash: hashes.removeValue(forKey: owner) ?? nil)
    }
}
