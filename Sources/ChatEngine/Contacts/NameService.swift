internal import ChatStore
internal import Profiles
internal import Roster
internal import XMPPAddress
internal import XMPPClient

/// Stores the names that contacts have given themselves: their nickname, or else the name on their card.
///
/// Nicknames are announced. A card is requested once from each contact that has neither a name in the contact list nor a
/// nickname.
actor NameService {
    /// Parallel requests, and those to one server.
    private static let (limit, serverLimit) = (8, 2)
    private static let waitingLimit = 4096
    /// The longest stored name in characters.
    private static let lengthLimit = 64

    private let context: AccountContext
    private var queue = FairQueue<String, JID>(limit: limit, groupLimit: serverLimit, waitingLimit: waitingLimit)
    private var asked: Set<JID> = []

    init(_ context: AccountContext) { self.context = context }

    func run(in session: Session) async {
        guard let profiles = session[Profiles.self], let roster = session[Roster.self] else { return }
        queue = FairQueue(limit: Self.limit, groupLimit: Self.serverLimit, waitingLimit: Self.waitingLimit)
        asked = []
        let changes = await roster.events()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.follow(changes, roster, profiles) }
            for await event in profiles.events() {
                guard case .nicknameChanged(let owner, let nickname) = event else { continue }
                await save(nickname.flatMap(Self.cleaned), of: owner.bare, isNickname: true)
            }
            group.cancelAll()
        }
    }

    private func follow(_ changes: RosterEvents, _ roster: Roster, _ profiles: Profiles) async {
        await withDiscardingTaskGroup { group in
            for await batch in changes {
                var changed: [RosterItem] = []
                for event in batch {
                    switch event {
                    case .populated: changed += await roster.allItems
                    case .changed(let contact): changed.append(contact.item)
                    default: break
                    }
                }
                for address in await unnamed(changed) {
                    guard asked.insert(address).inserted else { continue }
                    guard case .start(let first) = queue.add(address, of: address.domain) else { continue }
                    group.addTask { await self.ask(first, profiles) }
                }
            }
            group.cancelAll()
        }
    }

    /// The contacts whose names are not known.
    private func unnamed(_ items: [RosterItem]) async -> [JID] {
        let nameless = items.filter { ($0.name ?? "").isEmpty }.map(\.address).filter { !asked.contains($0) }
        guard !nameless.isEmpty else { return [] }
        let id = context.id
        let known = try? await context.store.read { reader throws(StoreError) in try reader.publishedNames(of: id) }
        guard let known else { return [] }
        return nameless.filter { known[$0] == nil }
    }

    private func ask(_ first: JID, _ profiles: Profiles) async {
        var next: JID? = first
        while let address = next {
            // Without an answer it is asked again in the next session.
            if let name = await nameOnCard(of: address, profiles) { await save(name, of: address, isNickname: false) }
            next = queue.finished(address.domain)
        }
    }

    /// An empty name if there is none; `nil` if there was no answer.
    private func nameOnCard(of address: JID, _ profiles: Profiles) async -> String? {
        do throws(ProfileError) {
            let card = try await profiles.card(of: address)
            let names = [card?.nicknames.first, card?.fullName].compactMap { $0.flatMap(Self.cleaned) }
            if let name = names.first { return name }
            let older = try await profiles.legacyCard(of: address)
            return [older?.nickname, older?.fullName].compactMap { $0.flatMap(Self.cleaned) }.first ?? ""
        } catch {
            return nil
        }
    }

    private func save(_ name: String?, of address: JID, isNickname: Bool) async {
        let id = context.id
        await context.save { writer throws(StoreError) in
            let known = try writer.publishedNames(of: id)[address]
            // The nickname may have come while the card was requested.
            guard known != name, isNickname || known == nil else { return }
            try writer.savePublishedName(name, of: address, account: id)
        }
    }

    /// One line of a limited length; `nil` if nothing is left.
    static func cleaned(_ name: String) -> String? {
        let words = name.split {
            $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
        }
        let line = words.joined(separator: " ")
        return line.isEmpty ? nil : String(line.prefix(lengthLimit))
    }
}
