public import ChatStore
internal import Localization
public import XMPPClient

/// How the connection of an account stands.
extension Wording {
    /// What is going on, for a person who waits.
    ///
    /// - Parameter domain: of the server.
    public static func step(_ step: ConnectionStep, to domain: String) -> String {
        switch step {
        case .connecting: localized("Looking for %@…", domain)
        case .securing: localized("Encrypting the connection…")
        case .authenticating: localized("Checking the password…")
        case .resuming, .binding: localized("Almost there…")
        case .registering: localized("Asking what is needed for an account…")
        }
    }

    /// In one sentence, with the time until the next attempt.
    ///
    /// - Parameters:
    ///   - domain: of the server.
    ///   - remaining: the time until the next attempt; `nil` where none is planned.
    public static func connection(_ state: ConnectionState, to domain: String, remaining: Duration?) -> String {
        switch state {
        case .online: localized("Online")
        case .connecting(let step): Self.step(step, to: domain)
        case .offline(let reason, _):
            offline(reason.map { failure($0, domain: domain) } ?? localized("Offline."), remaining)
        }
    }

    /// In a few words, for a list or the edge of a screen.
    public static func brief(_ state: ConnectionState, remaining: Duration?) -> String {
        switch state {
        case .online: localized("Online")
        case .connecting: localized("Connecting…")
        case .offline: offline(localized("Offline."), remaining)
        }
    }

    private static func offline(_ sentence: String, _ remaining: Duration?) -> String {
        guard let remaining else { return sentence }
        return filled("%@ %@", with: [sentence, wait(remaining)])
    }

    private static func wait(_ remaining: Duration) -> String {
        let seconds = (Int(remaining / .milliseconds(1)) + 999) / 1000
        if seconds <= 1 { return localized("Next attempt now.") }
        return seconds < 90
            ? localized("Next attempt in %@ s.", seconds)
            : localized("Next attempt in %@ min.", (seconds + 30) / 60)
    }

    /// An account in one sentence.
    ///
    /// - Parameter now: for counting down.
    public static func account(_ row: AccountRow, now: MessageTime) -> String {
        if let need = need(of: row) { return need }
        guard row.isEnabled else { return localized("Switched off") }
        return connection(row.connection, to: row.address.domain, remaining: row.remaining(now))
    }

    /// An account in a few words, for a list.
    public static func brief(_ row: AccountRow, now: MessageTime) -> String {
        if row.need != nil { return localized("Needs your attention") }
        guard row.isEnabled else { return localized("Switched off") }
        return brief(row.connection, remaining: row.remaining(now))
    }

    /// Why nothing was sent to a server that offers less than it did.
    static var downgrade: String {
        localized(
            "The server offers only weaker ways to sign in than before, so nothing was sent; somebody may be listening in between. Sign in again only if your provider confirms the change."
        )
    }

    /// What the person has to do; `nil` for nothing.
    public static func need(of row: AccountRow) -> String? {
        switch row.need {
        case nil: nil
        case .password(isRejected: true)?: localized("The server does not accept the password any more.")
        case .password(isRejected: false)?: localized("There is no password for this account here.")
        case .certificate(let reason)?: reason
        case .downgrade?: downgrade
        }
    }
}

extension AccountRow {
    fileprivate func remaining(_ now: MessageTime) -> Duration? {
        nextAttempt.map { .milliseconds($0.millisecondsSince1970 - now.millisecondsSince1970) }
    }
}
