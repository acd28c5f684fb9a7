internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Creates the view of a conversation with its models and closures.
struct ConversationBuilder {
    private let context: AppContext
    private let key: ConversationKey
    /// `nil` when the account is not running.
    private let account: ChatAccount?
    /// `nil` when the conversation is not in a room.
    private let room: RoomModel?
    private var home: ChatHome { context.home }

    init(_ context: AppContext, _ key: ConversationKey) {
        self.context = context
        self.key = key
        let home = context.home
        account = home.account(key.account)
        room = key.kind == .room ? RoomModel(key, store: home.store, environment: home.environment) : nil
    }

    /// The other side; for conversations that are not in a room.
    private var contact: ContactRow.ID { ContactRow.ID(account: key.account, address: key.address) }

    func view() -> ConversationView {
        let timeline = Timeline(
            key, store: home.store, actions: account, environment: home.environment,
            pageSize: ConversationView.pageSize, pages: ConversationView.pages)
        timeline.joinsAlbums = true
        return ConversationView(
            ConversationParts(
                key: key, account: account, timeline: timeline,
                finder: ConversationFinder(key, store: home.store, environment: home.environment),
                services: services, room: room.map { context.rooms.accessories($0) }, composer: composer,
                contact: key.kind == .direct ? context.contactActions(contact) : nil,
                conversations: home.conversations, contacts: home.contacts, accounts: home.accounts,
                prepareDownloads: { [weak context, key] in await context?.prepareDownloads(of: key.account) },
                showContact: { [weak context, contact] in context?.showContact(contact) },
                notice: context.connectionNotice(about: key.account)))
    }

    private var services: TimelineServices {
        let (key, encryption) = (key, context.encryption)
        return TimelineServices(
            avatars: home.avatars, playback: context.playback, window: context.windowContext,
            downloads: { [weak context] in context?.downloads(of: key.account) }, deletions: context.deletions,
            forward: { [weak context] in if let context { ForwardingWindow($0, context).present() } },
            moderation: room.map { moderation(in: $0) },
            occupantAvatar: { [weak room] in room?.avatars[$0] },
            mayAddressEverybody: { [weak room] in room?.mayAddressEverybody($0) ?? false },
            isOnline: { [home] in home.accounts.rows[key.account]?.connection.isOnline ?? false },
            showDevices: account.flatMap { encryption.service($0) }.map { _ in
                { [weak context] notice in
                    guard let address = notice.address else { return }
                    encryption.showDevices(
                        of: address, name: notice.name ?? address.description, as: key.account,
                        over: context?.window?.window)
                }
            })
    }

    private func moderation(in room: RoomModel) -> TimelineServices.Moderation {
        TimelineServices.Moderation(
            isAllowed: { [weak room] in room?.rights.mayRetractOthersMessages ?? false },
            delete: { [weak context, key] id throws(RoomFailure) in
                try await context?.home.account(key.account)?.rooms.retract(id, in: key.address)
            })
    }

    /// `nil` when the account is not running.
    private var composer: ComposerContext? {
        guard let account else { return nil }
        let (key, name) = (key, name)
        let media = home.media(of: key.account)
        let composer = Composer(
            key, store: home.store, actions: account, media: media, environment: home.environment)
        composer.links = LinkCards(
            describe: context.describeLink, isOn: { [home] in home.preferences.values.describesLinks })
        let window = context.windowContext
        return ComposerContext(
            composer: composer, media: media,
            recordings: media.map { VoiceComposer.folder(of: key, in: $0) },
            encryption: context.encryption.model(of: key).map { EncryptionButton($0, name: name) },
            showDevices: key.kind == .direct
                ? { [encryption = context.encryption] in
                    encryption.showDevices(of: key.address, name: name(), as: key.account, over: window.window())
                } : nil,
            nicknames: { [weak room] in room?.nicknames ?? [] },
            mayAddressEverybody: room.map { room in { [weak room] in room?.mayAddressEverybody() ?? false } },
            commands: commands(account),
            sendsWithReturn: { [home] in home.preferences.values.sendsWithReturn },
            spelling: context.spelling, checksSpelling: { [home] in home.preferences.values.checksSpelling },
            showToast: window.showToast, window: window.window)
    }

    /// The commands of a contact. Nothing is requested from strangers, who would learn that the user is online.
    private func commands(_ account: ChatAccount) -> CommandSuggestions? {
        guard key.kind == .direct else { return nil }
        return CommandSuggestions(
            CommandModel(key.address, account: account),
            isAllowed: { [home, contact] in home.contacts[contact].map { $0.section != .offline } ?? false },
            show: { [weak context, key, name] offer in
                CommandWindow(
                    CommandModel(key.address, account: account), name: name(), first: offer,
                    over: context?.window?.window
                ).present()
            })
    }

    /// Returns the name of the room or the contact as it is when the closure is called.
    private var name: () -> String {
        return { [weak room, home, key] in
            room?.title ?? home.conversations.all[key]?.title
                ?? home.contacts.rows.elements.first { $0.conversation == key }?.name ?? key.address.description
        }
    }
}
