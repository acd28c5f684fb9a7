internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Says under the list of conversations which account is not online and what can be done; nothing while all are.
final class ConnectionNotice {
    let root: Widget
    private let desk: Desk
    private let words = Label().wrap(maximumCharacters: 36).textAlignment(0).expand(.horizontal).css("caption")
    private let button = Button(localized("Connect now")).css("caption").align(horizontal: .end)
    private let revealer: Revealer
    var isShown: Bool { revealer.isRevealed }
    private var account: AccountID?
    private var isRepairNeeded = false
    private lazy var seconds = SecondHand { [weak self] in self?.show() }

    init(_ desk: Desk) {
        self.desk = desk
        revealer = Revealer(Box.vertical(spacing: 4, words, button).css("notice"), .slideUp)
        root = revealer
        button.onClick { [weak self] in self?.connect() }
        observe(self) { notice in notice.show() }
    }

    private func connect() {
        guard let account else { return }
        if isRepairNeeded {
            SignInWindow.repeated(account, desk.home, over: desk.window?.window)
        } else {
            Task { [desk] in await desk.home.connectNow(account) }
        }
    }

    private func show() {
        let rows = desk.home.accounts.rows.elements.filter { $0.isEnabled && !$0.connection.isOnline }
        // One line is enough: the first that needs the person, else the first that is not there.
        guard let row = rows.first(where: { $0.need != nil }) ?? rows.first else {
            account = nil
            seconds.run(false)
            revealer.isRevealed = false
            return
        }
        account = row.id
        isRepairNeeded = row.need != nil
        let isMany = desk.home.accounts.rows.elements.count > 1
        let sentence = ConnectionWords.line(row, now: desk.home.environment.now())
        words.text = isMany ? "\(row.address): \(sentence)" : sentence
        button.isVisible = row.connection.isWaiting
        button.show(label: isRepairNeeded ? localized("Sign in again") : localized("Connect now"))
        seconds.run(row.nextAttempt != nil)
        revealer.isRevealed = true
    }
}
