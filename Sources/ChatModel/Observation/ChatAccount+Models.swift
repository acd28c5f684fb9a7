public import ChatEngine
public import ChatStore
internal import MessageFeatures
internal import XMPPAddress

extension ChatAccount: ConversationActions {
    public func share(_ notifications: ConversationSettings.Notifications, of key: ConversationKey) async {
        // Bookmarks of rooms are the only place for it.
        if key.kind == .room { try? await bookmarks.share(notifications, of: key.address) }
    }
}

extension ContactList {
    /// The minimum time between two updates of the list.
    static let presenceInterval: Duration = .milliseconds(100)

    /// Shows the presence of an account's contacts, and its contact requests, until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        let coalescer = Coalescer(every: Self.presenceInterval, clock: environment.clock)
        let events = account.events()
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self] in
                await coalescer.run {
                    let presences = await account.contacts.presences
                    let requests = await account.contacts.requests
                    let (invitations, names) = (await account.invitations.waiting, await account.invitations.names)
                    self?.show(presences: presences, of: account.id)
                    self?.show(requests: requests, of: account.id)
                    self?.show(invitations: invitations, named: names, of: account.id)
                }
            }
            for await event in events {
                switch event {
                case .presence, .requests, .invitations, .connection: coalescer.call()
                case .answer(let answer, let address):
                    onAnswer(ContactRow.ID(account: account.id, address: address), answer)
                default: break
                }
            }
            group.cancelAll()
        }
    }
}

extension ConversationList {
    /// Shows who is typing to an account, until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        let events = account.events()
        await showWriting(to: account)
        for await event in events {
            if case .typing = event { await showWriting(to: account) }
        }
    }

    private func showWriting(to account: ChatAccount) async {
        var names: [ConversationKey: [String]] = [:]
        for (key, people) in await account.writers {
            names[key] = people.filter { $0.value == .composing }.keys.map { author($0, in: key) }
        }
        showWriting(names, of: account.id)
    }
}

extension AccountList {
    /// Shows the connection state of an account until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        let events = account.events()
        show(await account.connectionState, of: account.id)
        for await event in events {
            switch event {
            // There may have been several changes; the account has the latest state.
            case .connection: show(await account.connectionState, of: account.id)
            case .problem(let problem): show(problem: Wording.problem(problem), of: account.id)
            default: break
            }
        }
    }
}

extension Timeline {
    /// Shows who is typing in this conversation, and which reactions are accepted, until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        guard account.id == key.account else { return }
        let events = account.events()
        let coalescer = Coalescer(every: Self.restrictionsInterval, clock: environment.clock)
        coalescer.call()
        await showWriting(to: account)
        await withTaskGroup { group in
            // A contact's program may take its time to answer.
            group.addTask { [weak self, key] in
                await coalescer.run { self?.actions.reactionRestrictions = await account.reactionRestrictions(in: key) }
            }
            for await event in events {
                switch event {
                case .typing(key): await showWriting(to: account)
                case .presence(key.address), .room(key.address), .connection: coalescer.call()
                default: break
                }
            }
            group.cancelAll()
        }
    }

    /// The minimum time between two looks at which reactions are accepted.
    private static let restrictionsInterval: Duration = .seconds(1)

    private func showWriting(to account: ChatAccount) async {
        let people = await account.writers[key] ?? [:]
        showWriting(people.filter { $0.value == .composing }.keys.map { author($0) }.sorted())
    }
}
