internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient

/// Loads a conversation from the archive of the server into the store.
struct HistoryFetching: Sendable {
    let signIn: SignIn
    let profile: Profile
    let store: any LocalStore

    /// A year of an active conversation; another call loads more.
    private static let maximumPages = 200

    /// The number of attempts, four per second, until the archive counts as unavailable.
    private static let attemptLimit = 40

    /// Queries the archive until this number of messages is stored, or the archive has no more, older or newer.
    func fetch(with peer: JID, until count: Int) async throws {
        let online = try await OnlineAccount(signIn, in: store, profile)
        let events = online.account.events()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await online.run() }
            group.addTask {
                for await event in events {
                    if case .connection(.offline(let reason?, _)) = event { throw reason }
                    if case .connection(.online) = event { break }
                }
                try await self.ask(online.account, with: peer, until: count)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        await online.close()
    }

    private func ask(_ account: ChatAccount, with peer: JID, until count: Int) async throws {
        let key = try await account.conversation(with: peer)
        if key.kind != .direct { await account.rooms.visit(key.address.bare) }
        await account.opened(key)
        var attemptsLeft = Self.attemptLimit
        for _ in 0..<Self.maximumPages {
            let answer = await account.loadOlder(in: key)
            let here = try await store.read { store throws(StoreError) -> Int in
                guard let conversation = try store.conversation(key) else { return 0 }
                return try store.timeline(of: conversation, .newest, limit: count).count
            }
            switch answer {
            case .arrived where here < count: continue
            case .arrived: return
            case .nothingMore:
                if attemptsLeft == 0 { return }
                if try await hasNewest(account, key) { return }
            case .notNow:
                if attemptsLeft == 0 {
                    throw CommandError(.connection, localized("The server's archive does not respond; try again."))
                }
            }
            // The archive can be queried shortly after the account is online, and answers for its newest messages first.
            attemptsLeft -= 1
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    /// Whether what came while the account was not online is stored: everything older may be there before.
    private func hasNewest(_ account: ChatAccount, _ key: ConversationKey) async throws -> Bool {
        guard await account.history.hasCaughtUp else { return false }
        let (id, archive) = (account.id, key.kind == .room ? key.address : account.address)
        return try await store.read { store throws(StoreError) in
            try !store.archiveGaps(of: archive, with: nil, account: id).contains(where: \.isMissed)
        }
    }
}
