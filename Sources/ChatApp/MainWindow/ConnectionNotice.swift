internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Says under the list of conversations which account is not online and what can be done; nothing while all are.
final class ConnectionNotice {
    let root: Widget
    private let accounts: AccountList
    private let environment: ModelEnvironment
    private let connect: (AccountID) -> Void
    private let signIn: (AccountID) -> Void
    private let words = Label().wrap(maximumCharacters: 36).textAlignment(0).expand(.horizontal).css("caption")
    private let button = Button(localized("Connect now")).css("caption").align(horizontal: .end)
    private let revealer: Revealer
    var isShown: Bool { revealer.isRevealed }
    private var account: AccountID?
    private var isRepairNeeded = false
    private lazy var seconds = SecondHand { [weak self] in self?.show() }

    /// - Parameters:
    ///   - connect: connects an account now.
    ///   - signIn: signs in again to an account that needs it.
    init(
        _ accounts: AccountList, _ environment: ModelEnvironment, connect: @escaping (AccountID) -> Void,
        signIn: @escaping (AccountID) -> Void
    ) {
        self.accounts = accounts
        self.environment = environment
        self.connect = connect
        self.signIn = signIn
        revealer = Revealer(Box.vertical(spacing: 4, words, button).css("notice"), .slideUp)
        root = revealer
        button.onClick { [weak self] in self?.clicked() }
        observe(self) { notice in notice.show() }
    }

    private func clicked() {
        guard let account else { return }
        if isRepairNeeded { signIn(account) } else { connect(account) }
    }

    private func show() {
        let rows = accounts.rows.elements.filter { $0.isEnabled && !$0.connection.isOnline }
        // One line is enough: the first that needs the person, else the first that is not there.
        guard let row = rows.first(where: { $0.need != nil }) ?? rows.first else {
            account = nil
            seconds.run(false)
            revealer.isRevealed = false
            return
        }
        account = row.id
        isRepairNeeded = row.need != nil
        let isMany = accounts.rows.elements.count > 1
        let sentence = Wording.account(row, now: environment.now())
        words.text = isMany ? "\(row.address): \(sentence)" : sentence
        button.isVisible = row.connection.isWaiting
        button.show(label: isRepairNeeded ? localized("Sign in again") : localized("Connect now"))
        seconds.run(row.nextAttempt != nil)
        revealer.isRevealed = true
    }
}
