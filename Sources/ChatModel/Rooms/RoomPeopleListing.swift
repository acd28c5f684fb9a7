internal import ChatEngine
internal import ChatStore
internal import XMPPAddress

/// The people of a room as listed, and the diff from the list that is shown.
///
/// With twenty thousand people computing it takes longer than an iteration of the main loop may, so it can run off the
/// main actor.
struct RoomPeopleListing: Sendable {
    let rows: [RoomPersonRow]
    let diff: ListDiff<RoomPersonRow>
    /// Nicknames folded for sorting and searching: once per person, not with each change of the room.
    let folded: [String: FoldedName]
    /// The hashes of the pictures of all people that have one, by nickname.
    let avatars: [String: String]
    /// The nicknames of those who may address everybody.
    let callers: Set<String>
    /// The number of nicknames folded, for tests.
    let foldings: Int

    /// - Parameters:
    ///   - folded: of the previous listing.
    ///   - search: only people whose nickname or address contains all of these words.
    ///   - shown: the current rows.
    init(
        _ people: [RoomState.Person], in key: ConversationKey, _ book: AddressBook, folded: [String: FoldedName],
        search: String, shown: [RoomPersonRow]
    ) {
        var names: [String: FoldedName] = Dictionary(minimumCapacity: people.count)
        var foldings = 0
        for person in people where names[person.nickname] == nil {
            if let known = folded[person.nickname] {
                names[person.nickname] = known
            } else {
                foldings += 1
                names[person.nickname] = FoldedName(person.nickname)
            }
        }
        let sorted = people.map { ($0, names[$0.nickname] ?? FoldedName($0.nickname)) }
            .filter { person, name in
                if search.isEmpty { return true }
                let address = person.address.map { FoldedName($0.description) }
                return FoldedName.matches(search, in: [name, address].compactMap(\.self))
            }
            .sorted { left, right in
                if left.0.standing != right.0.standing { return left.0.standing < right.0.standing }
                return left.1 != right.1 ? left.1 < right.1 : left.0.nickname < right.0.nickname
            }
        var avatars: [String: String] = [:]
        for person in people {
            let occupant = try? key.address.with(resource: person.nickname)
            avatars[person.nickname] =
                occupant.flatMap { book.avatarHash(ofOccupant: $0, account: key.account) }
                ?? person.address.flatMap { book.avatarHash(of: $0, account: key.account) }
        }
        // Two devices with the same occupant id have two nicknames; each is a row.
        var seen: Set<RoomPersonRow.ID> = Set(minimumCapacity: sorted.count)
        var rows: [RoomPersonRow] = []
        rows.reserveCapacity(sorted.count)
        for (person, _) in sorted {
            let single = RoomPersonRow.ID(name: person.nickname, isLasting: false)
            let lasting = person.id.map { RoomPersonRow.ID(name: $0, isLasting: true) }
            guard let id = [lasting, single].compactMap(\.self).first(where: { seen.insert($0).inserted }) else {
                continue
            }
            rows.append(RoomPersonRow(id: id, person: person, avatarHash: avatars[person.nickname]))
        }
        self.rows = rows
        self.foldings = foldings
        self.avatars = avatars
        callers = Set(people.lazy.filter(\.mayAddressEverybody).map(\.nickname))
        self.folded = names
        diff = ListDiff(from: shown, to: rows)
    }

    /// The same, off the main actor.
    @concurrent
    static func make(
        _ people: [RoomState.Person], in key: ConversationKey, _ book: AddressBook, folded: [String: FoldedName],
        search: String, shown: [RoomPersonRow]
    ) async -> RoomPeopleListing {
        RoomPeopleListing(people, in: key, book, folded: folded, search: search, shown: shown)
    }
}
