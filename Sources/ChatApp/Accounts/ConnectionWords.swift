internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPClient

/// How the connection of an account stands, in words.
enum ConnectionWords {
    /// In one sentence, with the time until the next attempt.
    ///
    /// - Parameter now: for counting down.
    static func line(_ row: AccountRow, now: MessageTime) -> String {
        if let need = need(row) { return need }
        guard row.isEnabled else { return localized("Switched off") }
        switch row.connection {
        case .online: return localized("Online")
        case .connecting(let step): return step.words(to: row.address.domain)
        case .offline(let reason, _):
            let words =
                reason.map { SignInFailure($0, domain: row.address.domain).sentence } ?? localized("Offline.")
            guard let next = row.nextAttempt else { return words }
            return filled("%@ %@", with: [words, wait(until: next, from: now)])
        }
    }

    /// In a few words, for a list.
    static func short(_ row: AccountRow, now: MessageTime) -> String {
        if row.need != nil { return localized("Needs your attention") }
        guard row.isEnabled else { return localized("Switched off") }
        switch row.connection {
        case .online: return localized("Online")
        case .connecting: return localized("Connecting…")
        case .offline:
            guard let next = row.nextAttempt else { return localized("Offline.") }
            return filled("%@ %@", with: [localized("Offline."), wait(until: next, from: now)])
        }
    }

    /// What the person has to do; `nil` for nothing.
    static func need(_ row: AccountRow) -> String? {
        switch row.need {
        case nil: nil
        case .password(isRejected: true)?: localized("The server does not accept the password any more.")
        case .password(isRejected: false)?: localized("There is no password for this account here.")
        case .certificate(let reason)?: reason
        case .downgrade?:
            localized(
                "The server offers only weaker ways to sign in than before, so nothing was sent; somebody may be listening in between. Sign in again only if your provider confirms the change."
            )
        }
    }

    private static func wait(until next: MessageTime, from now: MessageTime) -> String {
        let seconds = (next.millisecondsSince1970 - now.millisecondsSince1970 + 999) / 1000
        if seconds <= 1 { return localized("Next attempt now.") }
        return seconds < 90
            ? localized("Next attempt in %@ s.", seconds)
            : localized("Next attempt in %@ min.", (seconds + 30) / 60)
    }
}

extension ConnectionState {
    /// There is no connection, and none is being made.
    var isWaiting: Bool { if case .offline = self { true } else { false } }
}

/// Calls a view every second while something counts down in it.
final class SecondHand {
    private var ticking: Task<Void, Never>?
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    /// - Parameter isNeeded: something counts down.
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
