internal import ChatModel
internal import Foundation
internal import GTKBinding
internal import Localization

/// A button with a calendar in which the days are marked on which something was said; choosing one leads there.
final class DateChooser {
    let button = MenuButton(icon: "x-office-calendar-symbolic").css("flat")
    /// A day was chosen.
    var onChoice: (CalendarView.Day) -> Void = { _ in }
    private let timeline: Timeline
    /// Made when it is opened for the first time.
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
        let go = Button(localized("Go to this day")).css("suggested-action")
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

    /// A click on a day leads there; a click that only turns to another month does not.
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
            let days = await timeline.days(ofMonth: day.month, year: day.year)
            guard let self, !Task.isCancelled, let now = self.calendar?.day, now.month == day.month,
                now.year == day.year
            else { return }
            self.calendar?.mark(days)
        }
    }
}
