public import ChatEngine
internal import ChatStore
internal import MessageFeatures
internal import XMPPAddress

extension ChatAccount: ConversationActions {}

extension ContactList {
    /// How often the list is shown anew at most, however many contacts come and go.
    static let presenceInterval: Duration = .milliseconds(100)

    /// Shows the presence of an account's contacts, and who asks to be one, until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        let coalescer = Coalescer(every: Self.presenceInterval, clock: environment.clock)
        let events = account.events()
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self] in
                await coalescer.run {
                    let presences = await account.contacts.presences
                    let requests = await account.contacts.requests
                    let invitations = await account.invitations.waiting
                    self?.show(presences: presences, of: account.id)
                    self?.show(requests: requests, of: account.id)
                    self?.show(invitations: invitations, of: account.id)
                }
            }
            for await event in events {
                switch event {
                case .presence, .requests, .invitations, .connection: coalescer.call()
                default: break
                }
            }
            group.cancelAll()
        }
    }
}

extension ConversationList {
    /// Shows who is writing to an account, until the task is cancelled.
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
    /// Shows the connection of an account until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        let events = account.events()
        show(await account.connectionState, of: account.id)
        for await event in events {
            switch event {
            // Several changes may have come meanwhile; the account's word is the newest.
            case .connection: show(await account.connectionState, of: account.id)
            case .problem(let problem): show(problem: Wording.problem(problem), of: account.id)
            default: break
            }
        }
    }
}

extension Timeline {
    /// Shows who is writing in this conversation, until the task is cancelled.
    public func follow(_ account: ChatAccount) async {
        guard account.id == key.account else { return }
        let events = account.events()
        await showWriting(to: account)
        for await event in events {
            if case .typing(key) = event { await showWriting(to: account) }
        }
    }

    private func showWriting(to account: ChatAccount) async {
        let people = await account.writers[key] ?? [:]
        showWriting(people.filter { $0.value == .composing }.keys.map { author($0) }.sorted())
    }
}
