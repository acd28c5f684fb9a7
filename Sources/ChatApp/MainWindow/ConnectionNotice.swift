internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPClient

/// The bar under the conversation list about the first account that is not online; hidden while all are online.
final class ConnectionNotice {
    let root: Widget
    private let accounts: AccountList
    private let environment: ModelEnvironment
    private let connect: (AccountID) -> Void
    private let signIn: (AccountID) -> Void
    private let label = Label().wrap(maximumCharacters: 36).textAlignment(0).expand(.horizontal).css("caption")
    private let button = Button(localized("Connect Now")).css("caption").align(horizontal: .end)
    private let revealer: Revealer
    /// The account that it is about; `nil` for all.
    private let only: AccountID?
    /// `false` hides it where another notice says the same.
    var isAllowed = true {
        didSet { if isAllowed != oldValue { show() } }
    }
    var isShown: Bool { revealer.isRevealed }
    private var account: AccountID?
    private var isRepairNeeded = false
    private lazy var seconds = SecondTicker { [weak self] in self?.show() }

    /// - Parameters:
    ///   - connect: connects an account now.
    ///   - signIn: opens the sign-in form of an account that requires it.
    init(
        _ accounts: AccountList, _ environment: ModelEnvironment, about account: AccountID? = nil,
        connect: @escaping (AccountID) -> Void,
        signIn: @escaping (AccountID) -> Void
    ) {
        self.accounts = accounts
        self.environment = environment
        self.connect = connect
        self.signIn = signIn
        only = account
        revealer = Revealer(Box.vertical(spacing: 4, label, button).css("notice"), .slideUp)
        root = revealer
        button.onClick { [weak self] in self?.clicked() }
        observe(self) { notice in notice.show() }
    }

    private func clicked() {
        guard let account else { return }
        if isRepairNeeded { signIn(account) } else { connect(account) }
    }

    private func show() {
        let rows = accounts.rows.elements.filter { row in
            row.isEnabled && !row.connection.isOnline && (only == nil || row.id == only)
        }
        // Shows one account: the first that requires the user, else the first that is offline.
        guard isAllowed, let row = rows.first(where: { $0.need != nil }) ?? rows.first else {
            account = nil
            seconds.run(false)
            revealer.isRevealed = false
            return
        }
        account = row.id
        isRepairNeeded = row.need != nil
        let isMany = only == nil && accounts.rows.elements.count > 1
        let message = Wording.account(row, now: environment.now())
        label.text = isMany ? "\(row.address): \(message)" : message
        button.isVisible = row.connection.isWaiting
        button.show(label: isRepairNeeded ? localized("Sign In Again") : localized("Connect Now"))
        seconds.run(row.nextAttempt != nil)
        revealer.isRevealed = true
    }
}

extension ConnectionState {
    /// Not connected, and not connecting.
    var isWaiting: Bool { if case .offline = self { true } else { false } }
}

/// Calls a closure every second while a countdown is shown.
final class SecondTicker {
    private var ticking: Task<Void, Never>?
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    /// - Parameter isNeeded: `true` while a countdown is shown.
    func run(_ isNeeded: Bool) {
        if !isNeeded {
            ticking?.cancel()
            ticking = nil
        } else if ticking == nil {
            ticking = Task { [weak self] in
                while (try? await Task.sleep(for: .seconds(1))) != nil { self?.body() }
            }
        }
    }

    isolated deinit { ticking?.cancel() }
}
