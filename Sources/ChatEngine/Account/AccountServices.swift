internal import ChatStore

/// The services of one account, each with its own state. They share ``AccountContext`` and call each other.
struct AccountServices: Sendable {
    let contacts: ContactService
    let blocking: BlockingService
    let commands: CommandService
    let profile: ProfileService
    let avatars: AvatarService
    let names: NameService
    let rooms: RoomService
    let invitations: InvitationService
    let bookmarks: BookmarkService
    let typing: TypingService
    let messages: MessageService
    let reading: ReadingService
    let history: HistoryService
    let repair: DeliveryRepair
    let directFiles: DirectFileReceiver
    /// Keeps the files of queued messages; `nil` without a media cache.
    let contents: QueuedContents?

    init(_ context: AccountContext, media: MediaCache?) {
        let archive = ArchiveReader(context)
        contents = media.map { QueuedContents(store: context.store, account: context.id, media: $0) }
        contacts = ContactService(context)
        blocking = BlockingService(context, contacts: contacts)
        commands = CommandService(context, contacts: contacts)
        profile = ProfileService(context)
        avatars = AvatarService(context)
        names = NameService(context)
        history = HistoryService(context, archive: archive)
        repair = DeliveryRepair(context, archive: archive)
        invitations = InvitationService(context)
        rooms = RoomService(context, history: history, invitations: invitations)
        bookmarks = BookmarkService(context, rooms: rooms.joining)
        typing = TypingService(context, contacts: contacts)
        messages = MessageService(context, contacts: contacts, typing: typing, contents: contents)
        reading = ReadingService(context)
        directFiles = DirectFileReceiver(context)
    }
}
