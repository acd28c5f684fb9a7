public import ChatStore
public import Observation

/// The part of the ``ConversationList`` that a list shows: one of its places, and in it what a filter lets through.
@MainActor
@Observable
public final class ConversationBrowser {
    public enum Place: Sendable, Hashable {
        case conversations
        /// What the user has archived.
        case archive
    }

    public enum Filter: Sendable, Hashable, CaseIterable {
        case all, unread, people, rooms

        func includes(_ row: ConversationRow) -> Bool {
            switch self {
            case .all: true
            case .unread: row.isUnread
            case .people: !row.isRoom
            case .rooms: row.isRoom
            }
        }
    }

    public let rows: ObservableList<ConversationRow>
    public private(set) var place = Place.conversations
    public private(set) var filter = Filter.all
    /// The number of archived conversations, and the number of those that are unread.
    public private(set) var archivedCount = 0
    public private(set) var archivedUnreadCount = 0
    /// The number of conversations of the place, whatever the filter.
    public private(set) var count = 0

    @ObservationIgnored private let list: ConversationList
    @ObservationIgnored private var observation: ListObservation?
    /// The open conversation. A filter keeps it, although it has just been read.
    @ObservationIgnored private var open: ConversationKey?

    public init(_ list: ConversationList) {
        self.list = list
        rows = ObservableList(report: list.environment.report)
        observation = list.rows.observe { [weak self] _ in self?.update() }
        update()
    }

    public func show(_ place: Place) {
        guard place != self.place else { return }
        self.place = place
        filter = .all
        update()
    }

    public func show(_ filter: Filter) {
        guard filter != self.filter else { return }
        self.filter = filter
        update()
    }

    /// Sets which conversation is open; `nil` for none.
    public func show(open key: ConversationKey?) {
        guard key != open else { return }
        open = key
        if filter != .all { update() }
    }

    /// The unread conversation after another one in the list, from its top again at the end; the first one for `nil`.
    public func nextUnread(after key: ConversationKey?) -> ConversationKey? {
        let all = list.rows.elements.filter { !$0.isArchived }
        let start = key.flatMap { key in all.firstIndex { $0.key == key } }.map { $0 + 1 } ?? 0
        return (all[start...] + all[..<start]).first { $0.isUnread && !$0.isMuted && $0.key != key }?.key
            ?? (all[start...] + all[..<start]).first { $0.isUnread && $0.key != key }?.key
    }

    private func update() {
        // Meanwhile the list has only what matches the search, which is shown elsewhere.
        guard list.searchText.isEmpty else { return }
        let all = list.rows.elements
        let archived = all.filter(\.isArchived)
        let unread = archived.count { $0.isUnread }
        if archivedCount != archived.count { archivedCount = archived.count }
        if archivedUnreadCount != unread { archivedUnreadCount = unread }
        // The last one was taken out of the archive.
        if archived.isEmpty, place == .archive { (place, filter) = (.conversations, .all) }
        let inside = place == .archive ? archived : all.filter { !$0.isArchived }
        if count != inside.count { count = inside.count }
        rows.show(filter == .all ? inside : inside.filter { filter.includes($0) || $0.key == open })
    }
}
