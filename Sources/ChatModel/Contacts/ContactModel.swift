public import Blocking
public import ChatEngine
public import ChatStore
internal import Localization
public import Observation
internal import Waiting
public import XMPPAddress
internal import XMPPClient

/// A contact as its page shows it: name, devices, presence and subscription.
///
///     let model = ContactModel(row.id, account: account)
///     Task { await model.run() }                     // until the task is cancelled
///     await model.rename(to: "Romeo")                // what goes wrong stands in `failure`
@MainActor
@Observable
public final class ContactModel {
    public let id: ContactRow.ID
    /// The name that the user gave to the contact, else the one that it gave itself, else one from the address.
    public private(set) var name: String
    /// The name that the user gave to the contact.
    public private(set) var remark: String?
    /// The name that the contact gave itself.
    public private(set) var publishedName: String?
    /// The hash of the avatar, for an ``AvatarLoader``.
    public private(set) var avatarHash: String?
    /// Whether the address is in the contact list.
    public private(set) var isContact = false
    /// Whether messages came from this address although it is no contact and the user has never written to it.
    public private(set) var isStranger = false
    public private(set) var subscription = StoredContact.Subscription.none
    /// A contact request was sent and not answered yet.
    public private(set) var isPending = false
    /// The groups of the contact list that it is in.
    public private(set) var groups: [String] = []
    public private(set) var presence: ContactPresence?
    public private(set) var devices: [ContactDevice] = []
    /// When the contact was online last; `nil` if it is now, or if its server does not say.
    public private(set) var lastSeen: MessageTime?
    /// Since when the contact has done nothing; `nil` if it is active or offline, or does not say.
    public private(set) var idleSince: MessageTime?
    /// What the contact, but no stranger, has published about itself; requested when the page is open and the account online.
    public private(set) var card: ContactCard?
    /// The rooms that the user and the contact are in, found when the page is opened.
    public private(set) var commonRooms: [CommonRoom] = []
    /// Whether a device of the contact, or a bot at its address, offers commands; asked when the page is opened.
    public private(set) var offersCommands = false
    /// The contact's request to see the user's presence, with its message.
    public private(set) var request: ContactRequest?
    public private(set) var isBlocked = false
    /// Whether the account is connected, so that changes are possible.
    public private(set) var isOnline = false
    /// Whether the conversation is muted; `nil` if there is no conversation.
    public private(set) var isMuted: Bool?
    /// An operation is in progress.
    public private(set) var isWorking = false
    /// Why the last operation failed, as a sentence for the user.
    public private(set) var failure: String?

    /// Why an address is reported.
    public typealias ReportReason = AbuseReport.Reason

    @ObservationIgnored private let account: ChatAccount
    @ObservationIgnored private let environment: ModelEnvironment
    /// Asks the contact's server, once each time when the contact is found to be offline.
    @ObservationIgnored private let isLastSeenDue = Signal()
    @ObservationIgnored private var hasAskedLastSeen = false
    @ObservationIgnored private let isCardDue = Signal()
    @ObservationIgnored private var hasAskedCard: Bool?  // `false`: only the rooms in common were looked up.

    /// A room that the user and the contact are in.
    public struct CommonRoom: Identifiable, Hashable, Sendable {
        public let key: ConversationKey
        public let name: String

        public var id: ConversationKey { key }

        public init(key: ConversationKey, name: String) {
            (self.key, self.name) = (key, name)
        }
    }

    /// The minimum time between two updates.
    static let interval: Duration = .milliseconds(100)

    public init(_ id: ContactRow.ID, account: ChatAccount, environment: ModelEnvironment = ModelEnvironment()) {
        self.id = id
        self.account = account
        self.environment = environment
        name = id.address.unescapedLocal ?? id.address.description
    }

    public var address: JID { id.address }
    public var section: ContactPresence.Section { presence?.section ?? .offline }
    public var conversation: ConversationKey {
        ConversationKey(account: id.account, address: id.address, kind: .direct)
    }

    /// Follows store and account until the task is cancelled.
    ///
    /// - Parameter asksPeer: requests what the contact's server states about the contact. Nothing is requested from strangers.
    public func run(asksPeer: Bool = true) async {
        let coalescer = Coalescer(every: Self.interval, clock: environment.clock)
        let (events, changes) = (account.events(), account.store.changes())
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self] in await coalescer.run { await self?.refresh() } }
            if asksPeer {
                group.addTask { [weak self, isLastSeenDue] in
                    while !Task.isCancelled {
                        await isLastSeenDue.wait()
                        await self?.askLastSeen()
                    }
                }
                group.addTask { [weak self, isCardDue] in
                    while !Task.isCancelled {
                        await isCardDue.wait()
                        await self?.askCard()
                    }
                }
            }
            group.addTask { [id] in
                for await change in changes where change.accounts.contains(id.account) || !change.conversations.isEmpty
                {
                    coalescer.call()
                }
            }
            for await event in events {
                switch event {
                case .presence(id.address), .requests, .blocked, .connection: coalescer.call()
                default: break
                }
            }
            group.cancelAll()
        }
    }

    /// Reads everything again.
    public func refresh() async {
        let (id, key, own) = (id, conversation, account.address.bare)
        let kept = try? await account.store.read { reader throws(StoreError) in
            let contact = try reader.contacts(of: id.account).first { $0.address == id.address }
            let settings = try reader.conversation(key).flatMap { id throws(StoreError) in
                try reader.conversation(id)?.settings
            }
            let isStranger = settings != nil && id.address != own ? try !reader.downloadsAutomatically(in: key) : false
            let name = try reader.publishedNames(of: id.account)[id.address].flatMap { $0.isEmpty ? nil : $0 }
            return (
                contact, try reader.avatar(of: id.address, account: id.account)?.hash, settings, isStranger, name
            )
        }
        let presence = await account.contacts.presences[id.address]
        let request = await account.contacts.requests.first { $0.address == id.address }
        let isBlocked = await account.blocking.blocked.contains(id.address)
        let isOnline = await account.connectionState.isOnline
        set(\.presence, presence)
        set(\.devices, await account.contacts.devices(of: id.address))
        set(\.request, request)
        set(\.isBlocked, isBlocked)
        set(\.isOnline, isOnline)
        guard let (contact, hash, settings, isStranger, published) = kept else { return }
        set(\.isStranger, isStranger)
        let isAway = isOnline && presence == nil && [.to, .both].contains(contact?.subscription)
        if presence != nil { set(\.lastSeen, nil) }
        if isAway, !hasAskedLastSeen { isLastSeenDue.send() }
        hasAskedLastSeen = isAway
        set(\.avatarHash, hash)
        set(\.isContact, contact.map { $0.subscription != .none || $0.isPending } ?? false)
        if isOnline, hasAskedCard == nil || (isContact && hasAskedCard == false) {
            hasAskedCard = isContact
            isCardDue.send()
        }
        set(\.subscription, contact?.subscription ?? .none)
        set(\.isPending, contact?.isPending ?? false)
        set(\.groups, contact?.groups ?? [])
        set(\.remark, contact?.name.flatMap { $0.isEmpty ? nil : $0 })
        set(\.publishedName, published)
        set(\.name, remark ?? published ?? id.address.unescapedLocal ?? id.address.description)
        let now = environment.now()
        // A time to come is none.
        set(\.idleSince, presence?.idleSince.flatMap { $0 <= now ? $0 : nil })
        set(\.isMuted, settings.map { $0.notifications == .none || $0.mutedUntil.map { $0 > now } ?? false })
    }

    private func askCard() async {
        let keys = await account.rooms.shared(with: id.address).map {
            ConversationKey(account: id.account, address: $0, kind: .room)
        }
        if !keys.isEmpty {
            let book = try? await account.store.read { [id] reader throws(StoreError) in
                try AddressBook(reader, of: id.account)
            }
            set(\.commonRooms, keys.map { CommonRoom(key: $0, name: book?.title(of: $0) ?? $0.address.description) })
        }
        guard isContact else { return }
        set(\.card, await account.contacts.card(of: id.address))
        set(\.offersCommands, await (try? account.commands.offers(of: id.address))?.isEmpty == false)
    }

    private func askLastSeen() async {
        let time = await account.contacts.lastSeen(of: id.address)
        // It may have come back meanwhile.
        if presence == nil { set(\.lastSeen, time) }
    }

    /// Sets a property only if the value differs, so that observers are not notified without need.
    private func set<Value: Equatable>(_ path: ReferenceWritableKeyPath<ContactModel, Value>, _ value: Value) {
        if self[keyPath: path] != value { self[keyPath: path] = value }
    }

    // MARK: Actions

    /// Renames the contact for this user; empty text restores the name from the address.
    public func rename(to name: String) async {
        let name = name.trimmingWhitespace
        guard name != remark ?? "" else { return }
        await attempt { account, address throws(ClientError) in
            try await account.contacts.rename(address, to: name.isEmpty ? nil : name)
        }
    }

    /// Sets the groups of the contact; empty names are ignored.
    public func move(to groups: [String]) async {
        let wanted = Set(groups.map(\.trimmingWhitespace).filter { !$0.isEmpty })
        guard wanted != Set(self.groups) else { return }
        await attempt { account, address throws(ClientError) in try await account.contacts.move(address, to: wanted) }
    }

    /// Adds the contact to the list, or repeats the request.
    public func add() async {
        let isPending = isPending
        await attempt { account, address throws(ClientError) in
            if isPending {
                try await account.contacts.askAgain(address)
            } else {
                _ = try await account.contacts.add(address)
            }
        }
    }

    /// Accepts the contact request, and sends one in return.
    public func accept() async {
        await attempt { account, address throws(ClientError) in try await account.contacts.acceptRequest(of: address) }
    }

    public func decline() async {
        await attempt { account, address throws(ClientError) in try await account.contacts.declineRequest(of: address) }
    }

    /// Removes the contact and both subscriptions; messages are kept. Returns whether it was removed.
    @discardableResult
    public func remove() async -> Bool {
        await attempt { account, address throws(ClientError) in try await account.contacts.remove(address) }
    }

    public func setBlocked(_ isBlocked: Bool) async {
        guard isBlocked != self.isBlocked else { return }
        await attempt { account, address throws(ClientError) in
            if isBlocked {
                try await account.blocking.block(address)
            } else {
                try await account.blocking.unblock(address)
            }
        }
    }

    /// Blocks the address, and reports the reason to the operators of the server (XEP-0377).
    ///
    /// - Parameter text: more about the reason.
    public func block(reporting reason: ReportReason, text: String) async {
        let text = text.trimmingWhitespace
        await attempt { account, address throws(ClientError) in
            try await account.blocking.block(
                address, report: AbuseReport(reason, text: text.isEmpty ? nil : text))
        }
    }

    /// Mutes or unmutes the conversation.
    public func setMuted(_ isMuted: Bool) async {
        guard let known = self.isMuted, known != isMuted else { return }
        let key = conversation
        do throws(StoreError) {
            try await account.store.write { writer throws(StoreError) in
                guard let id = try writer.conversation(key), let conversation = try writer.conversation(id) else {
                    return
                }
                var settings = conversation.settings
                settings.notifications = isMuted ? .none : .all
                settings.mutedUntil = nil
                try writer.update(settings, of: id)
            }
        } catch {
            failure = Wording.failure(error)
        }
        await refresh()
    }

    /// Clears ``failure`` after it was shown.
    public func clearFailure() { failure = nil }

    @discardableResult
    private func attempt(
        _ body: @Sendable (ChatAccount, JID) async throws(ClientError) -> Void
    ) async -> Bool {
        isWorking = true
        failure = nil
        defer { isWorking = false }
        do throws(ClientError) {
            try await body(account, id.address)
        } catch {
            failure = Wording.failure(error)
        }
        await refresh()
        return failure == nil
    }
}
