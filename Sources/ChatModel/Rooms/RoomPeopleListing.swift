internal import ChatEngine
internal import ChatStore
internal import XMPPAddress

/// The people of a room as they are listed, and how that list comes from the one that is shown.
///
/// With twenty thousand people it takes longer than a turn of the main loop may, so it can be made elsewhere.
struct RoomPeopleListing: Sendable {
    let rows: [RoomPersonRow]
    let diff: ListDiff<RoomPersonRow>
    /// The nicknames as they are sorted and searched: made once for each person, not with each change of the room.
    let folded: [String: FoldedName]
    /// How many of them were made, for tests.
    let foldings: Int

    /// - Parameters:
    ///   - folded: of the listing before.
    ///   - search: only those in whose nickname or address all of the words are.
    ///   - shown: the rows that are shown.
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
        // Two devices under one lasting name have two nicknames; each is a person in the list.
        var seen: Set<RoomPersonRow.ID> = Set(minimumCapacity: sorted.count)
        var rows: [RoomPersonRow] = []
        rows.reserveCapacity(sorted.count)
        for (person, _) in sorted {
            let occupant = try? key.address.with(resource: person.nickname)
            let avatar =
                occupant.flatMap { book.avatarHash(ofOccupant: $0, account: key.account) }
                ?? person.address.flatMap { book.avatarHash(of: $0, account: key.account) }
            let single = RoomPersonRow.ID(name: person.nickname, isLasting: false)
            let lasting = person.id.map { RoomPersonRow.ID(name: $0, isLasting: true) }
            guard let id = [lasting, single].compactMap(\.self).first(where: { seen.insert($0).inserted }) else {
                continue
            }
            rows.append(RoomPersonRow(id: id, person: person, avatarHash: avatar))
        }
        self.rows = rows
        self.foldings = foldings
        self.folded = names
        diff = ListDiff(from: shown, to: rows)
    }

    /// The same, not on the main actor.
    @concurrent
    static func make(
        _ people: [RoomState.Person], in key: ConversationKey, _ book: AddressBook, folded: [String: FoldedName],
        search: String, shown: [RoomPersonRow]
    ) async -> RoomPeopleListing {
        RoomPeopleListing(people, in: key, book, folded: folded, search: search, shown: shown)
    }
}
