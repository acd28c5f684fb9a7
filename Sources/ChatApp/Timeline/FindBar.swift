internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization

/// The bar above a timeline that finds text in the conversation and jumps to a day.
///
/// Return and ↑ select the match above, Shift+Return and ↓ the one below, Escape closes the bar.
final class FindBar {
    let root: SearchBar
    let entry = SearchEntry(placeholder: localized("Find in this conversation"))
    let count = Label().css("dim-label", "caption", "numeric")
    let older = Button(icon: "go-up-symbolic").css("flat")
    let newer = Button(icon: "go-down-symbolic").css("flat")
    let dates: DateChooser
    let finder: ConversationFinder
    /// Called when the bar was closed, to restore the focus.
    var onClose: () -> Void = {}
    private weak var timeline: TimelineView?

    init(_ finder: ConversationFinder, _ timeline: TimelineView) {
        self.finder = finder
        self.timeline = timeline
        dates = DateChooser(timeline.timeline)
        entry.characters(minimum: 6)
        entry.expand(.horizontal)
        root = SearchBar(
            entry, Box.horizontal(spacing: 4, entry, count, older, newer, dates.button).expand(.horizontal))
        entry.accessible(label: localized("Find in this conversation"))
        older.named(localized("Match above"))
        newer.named(localized("Match below"))
        for button in [older, newer] { button.focusOnClick(false) }
        connect()
        observe(self) { bar in bar.show() }
    }

    private func connect() {
        entry.onSearch { [weak self] in self?.find($0) }
        entry.onActivate { [weak self] in self?.goOlder() }
        entry.onNext { [weak self] in self?.goOlder() }
        entry.onPrevious { [weak self] in self?.goNewer() }
        entry.onKey { [weak self] press in
            switch press.key {
            case .up: self?.goOlder()
            case .down: self?.goNewer()
            case .enter where press.modifiers.contains(.shift): self?.goNewer()
            default: return false
            }
            return true
        }
        older.onClick { [weak self] in self?.goOlder() }
        newer.onClick { [weak self] in self?.goNewer() }
        root.onOpen { [weak self] isOpen in if !isOpen { self?.closed() } }
        dates.onChoice = { [weak self] in
            self?.timeline?.position.jump(to: $0)
            self?.timeline?.onDone()
        }
    }

    func open() {
        root.isOpen = true
        entry.grabFocus()
        entry.selectAll()
    }

    func openDates() {
        root.isOpen = true
        dates.open()
    }

    private func closed() {
        entry.text = ""
        find("")
        onClose()
    }

    private func find(_ text: String) {
        guard text != finder.text else { return }
        timeline?.mark(text)
        Task { [weak self, finder] in
            if let message = await finder.find(text) { self?.timeline?.position.jump(to: message) }
        }
    }

    func goOlder() {
        Task { [weak self, finder] in
            if let message = await finder.showOlder() { self?.timeline?.position.jump(to: message) }
        }
    }

    func goNewer() {
        if let message = finder.showNewer() { timeline?.position.jump(to: message) }
    }

    private func show() {
        let isAsked = finder.text.contains { !$0.isWhitespace }
        older.isSensitive = finder.position.map { $0 + 1 < finder.count || finder.hasMore } ?? false
        newer.isSensitive = (finder.position ?? 0) > 0
        count.isVisible = isAsked
        if let position = finder.position {
            count.text = "\(position + 1) / \(finder.count)" + (finder.hasMore ? "+" : "")
        } else if finder.isSearching {
            count.text = "…"
        } else {
            count.text = localized("Nothing found")
        }
        entry.css("error", isAsked && finder.position == nil && !finder.isSearching)
    }
}

/// A calendar button that marks the days with messages and jumps to the selected day.
final class DateChooser {
    let button = MenuButton(icon: "x-office-calendar-symbolic").css("flat")
    /// Called when a day was selected.
    var onChoice: (CalendarView.Day) -> Void = { _ in }
    private let timeline: Timeline
    /// Created when it is first opened.
    private(set) var calendar: CalendarView?
    private var popover: Popover?
    private var shown: CalendarView.Day?
    private var marking: Task<Void, Never>?

    init(_ timeline: Timeline) {
        self.timeline = timeline
        button.named(localized("Go to a day"))
        button.show(whenOpened: { [weak self] in self?.makePopover() ?? Popover() })
    }

    isolated deinit { marking?.cancel() }

    func open() { button.open() }

    private func makePopover() -> Popover {
        let calendar = CalendarView()
        calendar.accessible(label: localized("Day"))
        calendar.name(buttons: [
            localized("Previous month"), localized("Next month"), localized("Previous year"), localized("Next year"),
        ])
        let go = Button(localized("Go to This Day")).css("suggested-action")
        let popover = Popover(Box.vertical(spacing: 6, calendar, go).margins(horizontal: 4, vertical: 4))
        calendar.onSelect { [weak self] in self?.selected() }
        calendar.onMonth { [weak self] in self?.showMarks() }
        go.onClick { [weak self] in self?.choose() }
        self.calendar = calendar
        self.popover = popover
        shown = calendar.day
        showMarks()
        return popover
    }

    /// Selecting a day jumps to it; changing the month does not.
    private func selected() {
        guard let calendar else { return }
        let (day, before) = (calendar.day, shown)
        shown = day
        if day.month == before?.month, day.year == before?.year { choose() } else { showMarks() }
    }

    func choose() {
        guard let calendar else { return }
        popover?.close()
        onChoice(calendar.day)
    }

    private func showMarks() {
        guard let calendar else { return }
        let day = calendar.day
        shown = day
        calendar.mark([])
        marking?.cancel()
        marking = Task { [weak self, timeline] in
            let days = await timeline.calendar.days(ofMonth: day.month, year: day.year)
            guard let self, !Task.isCancelled, let now = self.calendar?.day, now.month == day.month,
                now.year == day.year
            else { return }
            self.calendar?.mark(days)
        }
    }
}
