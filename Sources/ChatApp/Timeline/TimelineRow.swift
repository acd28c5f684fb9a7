internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What a timeline and its rows need in addition to the messages.
struct TimelineServices {
    let avatars: AvatarLoader
    let playback: VoicePlayback
    let window: WindowContext
    /// `nil` when the media of the account cannot be stored.
    let downloads: () -> AttachmentDownloads?
    /// Deletions that the user can still undo.
    let deletions: PendingDeletions
    /// Asks for a conversation to forward messages to.
    let forward: ([TimelineMessage]) -> Void
    /// The moderation of other people's messages; `nil` outside of rooms.
    let moderation: Moderation?
    /// The picture of a person in the room, by nickname, as in the list of its people.
    var occupantAvatar: (String) -> String? = { _ in nil }
    /// Whether “@all” of a person in the room addresses everybody, by nickname.
    var mayAddressEverybody: (String) -> Bool = { _ in false }
    /// Whether the account is connected.
    let isOnline: () -> Bool
    /// Opens the devices that a notice is about; `nil` for an account without encryption.
    let showDevices: ((TimelineNotice) -> Void)?

    struct Moderation {
        let isAllowed: () -> Bool
        /// Deletes a message for everyone in the room, by its archive id.
        let delete: (String) async throws(RoomFailure) -> Void
    }
}

/// What a row needs from its timeline.
protocol TimelineOwner: AnyObject {
    /// Whether messages show their sender: in rooms.
    var showsSenders: Bool { get }
    /// The words to highlight; empty when nothing is searched.
    var highlight: String { get }
    var position: TimelinePosition { get }
    var actions: MessageActions { get }
    /// The messages that the user has selected.
    var selection: MessageSelection { get }
    func select(_ message: TimelineMessage)
    @discardableResult
    func showMenu(_ message: TimelineMessage, _ widget: Widget, _ x: Double, _ y: Double) -> Popover?
}

/// One row of a timeline: a message, or a separator. Parts are created on demand.
final class TimelineRow: ListRow {
    private(set) var item: TimelineItem?
    private(set) var accessibleText: String?
    private(set) var bubble: MessageBubble?
    var root: Widget { container }
    private let container = Bin()
    private let services: TimelineServices
    // Weak, because the list holds the rows and the owner holds the list.
    private weak var owner: (any TimelineOwner)?
    private(set) var line: Label?
    private(set) var notice: NoticeView?
    private(set) var unread: (row: Widget, label: Label)?
    private var spinner: Box?

    init(_ owner: (any TimelineOwner)?, _ services: TimelineServices) {
        self.owner = owner
        self.services = services
    }

    func show(_ item: TimelineItem) {
        self.item = item
        switch item {
        case .message(let message):
            let bubble = bubble ?? MessageBubble(owner, services)
            self.bubble = bubble
            container.show(bubble.root)
            bubble.show(message)
            accessibleText = bubble.spokenText
        case .day(let day): showLine(Wording.day(day))
        case .gap: showLine(localized("Messages may be missing here"))
        case .unread(let count): showUnread(count)
        case .history: showSpinner()
        case .notice(let notice): showNotice(notice)
        }
    }

    func clear() {
        bubble?.clear()
        item = nil
    }

    private func showLine(_ text: String) {
        let line = line ?? Label().css("day")
        self.line = line
        line.text = text
        accessibleText = text
        container.show(line)
    }

    private func showNotice(_ notice: TimelineNotice) {
        let view = self.notice ?? NoticeView(services.showDevices)
        self.notice = view
        view.show(notice)
        accessibleText = view.label.text
        container.show(view.root)
    }

    private func showUnread(_ count: Int) {
        let shown: (row: Widget, label: Label)
        if let unread {
            shown = unread
        } else {
            let label = Label()
            let row = Box.horizontal(
                spacing: 10, Separator(.horizontal).expand(.horizontal).align(vertical: .center), label,
                Separator(.horizontal).expand(.horizontal).align(vertical: .center)
            ).css("unread-line")
            shown = (row, label)
        }
        unread = shown
        shown.label.text = localized("%@ new message", plural: "%@ new messages", count: count)
        accessibleText = shown.label.text
        container.show(shown.row)
    }

    private func showSpinner() {
        let box: Box
        if let spinner {
            box = spinner
        } else {
            let wheel = Spinner()
            wheel.isSpinning = true
            box = Box.horizontal(
                spacing: 8, wheel, Label(localized("Loading older messages…")).css("caption")
            )
            .align(horizontal: .center).margins(horizontal: 0, vertical: 10)
        }
        spinner = box
        accessibleText = localized("Loading older messages…")
        container.show(box)
    }
}
