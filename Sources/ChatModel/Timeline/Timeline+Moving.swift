public import ChatStore
internal import Foundation

extension Timeline {
    /// Says whether the newest message is on the screen. New messages then move the window along; otherwise it stays.
    public func viewMoved(isAtNewest: Bool) {
        let follows = isAtNewest && contents.window.reachesNewest
        if self.isAtNewest != follows { self.isAtNewest = follows }
    }

    /// Whether asking for older messages may bring some: the store has more than the window shows, or the archive may.
    ///
    /// What ``olderMessages`` says of the archive is no answer for a window that moved away from the store's first message.
    public var mayLoadOlder: Bool { !contents.window.reachesOldest || olderMessages == .possible }

    /// Adds a page before the window: from the store, and where that ends from the archive. `false` if nothing came.
    @discardableResult
    public func loadOlder() async -> Bool {
        if await loadOlderFromStore() { return true }
        guard olderMessages != .loading, olderMessages != .none, let actions else { return false }
        olderMessages = .loading
        display()
        let answer = await actions.loadOlder(in: key)
        switch answer {
        case .arrived: olderMessages = .possible
        case .nothingMore: olderMessages = .none
        case .notNow: olderMessages = .unreachable
        }
        if answer == .arrived, await loadOlderFromStore() { return true }
        display()
        return false
    }

    private func loadOlderFromStore() async -> Bool {
        let before = contents.window.messages.first?.position
        await update(book: false) { conversation, window, store throws(StoreError) in
            var window = window
            if window.messages.isEmpty {
                window = try window.newest(of: conversation, in: store)
                return (window, !window.messages.isEmpty)
            }
            let isMore = try window.loadOlder(conversation, store)
            return (window, isMore)
        } then: { _ in
        }
        guard let first = contents.window.messages.first?.position else { return false }
        return before.map { first < $0 } ?? true
    }

    /// Adds a page after the window. `false` if it reaches the newest message already.
    @discardableResult
    public func loadNewer() async -> Bool {
        let before = contents.window.messages.last?.position
        await update(book: false) { conversation, window, store throws(StoreError) in
            var window = window
            let isMore = try window.loadNewer(conversation, store)
            return (window, isMore)
        } then: { _ in
        }
        guard let last = contents.window.messages.last?.position, let before else { return false }
        return last > before
    }

    /// Shows the newest messages.
    public func showNewest() async {
        await update(book: false) { conversation, window, store throws(StoreError) in
            window.reachesNewest
                ? (window, true) : (try window.newest(of: conversation, in: store), true)
        } then: { _ in
            isAtNewest = true
        }
    }

    /// Shows a message with what is around it; gives the row to scroll to, or `nil` if the message is not here.
    public func show(_ message: MessageID) async -> TimelineItem.ID? {
        var isThere = false
        await update(book: false) { conversation, window, store throws(StoreError) in
            if window.messages.contains(where: { $0.id == message }) { return (window, true) }
            guard let found = try store.message(message), found.conversation == conversation else {
                return (window, false)
            }
            return (try window.around(found.position, of: conversation, in: store), true)
        } then: { found in
            isThere = found
            if found { isAtNewest = false }
        }
        return isThere ? .message(message) : nil
    }

    /// Shows the first messages of a time and later; gives the row to scroll to, or `nil` if the conversation is empty.
    public func show(_ time: MessageTime) async -> TimelineItem.ID? {
        let position = TimelinePosition.start(of: time)
        await update(book: false) { conversation, window, store throws(StoreError) in
            (try window.around(position, of: conversation, in: store), true)
        } then: { _ in
            isAtNewest = false
        }
        let messages = contents.window.messages
        return (messages.first { $0.position >= position } ?? messages.last).map { .message($0.id) }
    }

    /// Shows the unread line; gives it, or `nil` if there is none.
    public func showUnread() async -> TimelineItem.ID? {
        guard let position = unread?.position else { return nil }
        await update(book: false) { conversation, window, store throws(StoreError) in
            if let first = window.messages.first, let last = window.messages.last, first.position < position,
                position <= last.position
            {
                return (window, true)
            }
            return (try window.around(position, of: conversation, in: store), true)
        } then: { _ in
            isAtNewest = false
        }
        return items.index(of: .unread) == nil ? nil : .unread
    }

    // MARK: Reading

    /// A message was on the screen of a person who looks: everything up to it is read.
    public func seen(_ message: MessageID) async throws(StoreError) {
        guard let position = contents.window.messages.first(where: { $0.id == message })?.position else { return }
        if let askedToRead, position <= askedToRead { return }
        let before = askedToRead
        askedToRead = position
        guard unreadCount > 0 || contents.isMarkedUnread else { return }
        do throws(StoreError) {
            if let actions {
                try await actions.markRead(upTo: message, in: key)
            } else {
                try await store.write { store throws(StoreError) in try store.markRead(upTo: message) }
            }
        } catch {
            askedToRead = before
            throw error
        }
    }
}

extension Timeline {
    /// The days of a month on which something was said, as numbers from 1 on, in the person's calendar and time zone.
    public func days(ofMonth month: Int, year: Int) async -> Set<Int> {
        let starts = starts(ofMonth: month, year: year)
        guard let first = starts.first, let end = starts.last else { return [] }
        let found = try? await store.read { [key] store throws(StoreError) -> Set<Int> in
            guard let conversation = try store.conversation(key) else { return [] }
            var days: Set<Int> = []
            var next = first
            // From each day that has a message on: as many steps as there are such days.
            while let message = try store.timeline(of: conversation, .after(.start(of: next)), limit: 1).first,
                message.position.time < end,
                let day = starts.lastIndex(where: { $0 <= message.position.time }), day + 1 < starts.count
            {
                days.insert(day + 1)
                next = starts[day + 1]
            }
            return days
        }
        return found ?? []
    }

    /// Shows the first message of a day, or of the next one on which something was said; gives the row to scroll to, or `nil` if the
    /// conversation is empty.
    public func show(day: Int, month: Int, year: Int) async -> TimelineItem.ID? {
        let starts = starts(ofMonth: month, year: year)
        guard starts.indices.contains(day - 1) else { return nil }
        return await show(starts[day - 1])
    }

    /// When each day of a month begins, and when the last one ends.
    private func starts(ofMonth month: Int, year: Int) -> [MessageTime] {
        let calendar = environment.calendar()
        let begin = DateComponents(calendar: calendar, timeZone: calendar.timeZone, year: year, month: month, day: 1)
        guard let first = calendar.date(from: begin), let days = calendar.range(of: .day, in: .month, for: first) else {
            return []
        }
        return (0...days.count).compactMap { number in
            calendar.date(byAdding: .day, value: number, to: first).map {
                MessageTime(calendar.startOfDay(for: $0))
            }
        }
    }
}
