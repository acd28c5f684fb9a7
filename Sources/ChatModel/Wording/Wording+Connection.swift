public import ChatStore
internal import Localization
public import XMPPClient

/// The state of an account's connection.
extension Wording {
    /// The current step, for a user who waits.
    ///
    /// - Parameter domain: of the server; `nil` where it is not known.
    public static func step(_ step: ConnectionStep, to domain: String?) -> String {
        switch step {
        case .connecting: localized("Looking for %@…", domain ?? localized("the server"))
        case .securing: localized("Encrypting the connection…")
        case .authenticating: localized("Checking the password…")
        case .resuming, .binding: localized("Almost there…")
        case .registering: localized("Asking what is needed for an account…")
        }
    }

    /// The state as a sentence, with the time until the next attempt.
    ///
    /// - Parameters:
    ///   - domain: of the server.
    ///   - remaining: the time until the next attempt; `nil` if none is scheduled.
    public static func connection(_ state: ConnectionState, to domain: String, remaining: Duration?) -> String {
        switch state {
        case .online: localized("Online")
        case .connecting(let step): Self.step(step, to: domain)
        case .offline(let reason, _):
            offline(reason.map { failure($0, domain: domain) } ?? localized("Offline."), remaining)
        }
    }

    /// The state in a few words, for a list or a status line.
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
        return localized(
            "Next attempt in %@.", seconds < 90 ? Self.seconds(seconds) : minutes((seconds + 30) / 60))
    }

    /// A step of a connection, for a log.
    public static func event(_ event: ConnectionEvent) -> String {
        switch event {
        case .willConnect: localized("connecting")
        case .connected: localized("connected")
        case .negotiating: localized("opening the stream")
        case .securing: localized("encrypting")
        case .secured(let tls): localized("encrypted with %@", tls.version.rawValue)
        case .opened: localized("the stream is open")
        case .readyToRegister: localized("ready to register")
        case .authenticating(let mechanism): localized("logging in with %@", mechanism)
        case .authenticated: localized("logged in")
        case .resuming: localized("resuming the session")
        case .binding: localized("binding a resource")
        case .resourceInUse(let resource): localized("the resource %@ is in use", resource)
        case .bound(let address), .resumed(let address), .addressChanged(let address):
            localized("this is %@", address)
        case .online(_, let isResumed): isResumed ? localized("online again") : localized("online")
        case .closeRequested: localized("signing off")
        case .closingSent: localized("closing the stream")
        case .timedOut: localized("the server did not respond in time")
        case .authenticationFailed(let error): failure(error, domain: nil)
        case .streamError(let error): localized("the server ended the stream: %@", error.condition.rawValue)
        case .disconnected(let error, let pause): ended(error, retryAfter: pause)
        case .extensionFailed(let name, let error): "\(name): \(failure(any: error))"
        // A fault of the program, which names its place in its source.
        case .readingPaused(let observers):
            localized("nothing is read, because this program is busy: %@", observers.joined(separator: ", "))
        case .readingResumed: localized("reading again")
        }
    }

    /// Why a connection ended, and when the next one is tried.
    public static func ended(_ error: ClientError?, retryAfter pause: Duration?) -> String {
        guard let error else { return localized("offline") }
        let reason = failure(error, domain: nil)
        guard let pause else { return reason }
        return localized("%@ Next try in %@.", reason, seconds(max(1, pause.components.seconds)))
    }

    /// The state of an account as a sentence.
    ///
    /// - Parameter now: for the countdown.
    public static func account(_ row: AccountRow, now: MessageTime) -> String {
        if let need = need(of: row) { return need }
        guard row.isEnabled else { return localized("Disabled") }
        return connection(row.connection, to: row.address.domain, remaining: row.remaining(now))
    }

    /// The state of an account in a few words, for a list.
    public static func brief(_ row: AccountRow, now: MessageTime) -> String {
        if row.need != nil { return localized("Needs your attention") }
        guard row.isEnabled else { return localized("Disabled") }
        return brief(row.connection, remaining: row.remaining(now))
    }

    /// Why no password was sent to a server that offers less than before.
    static var downgrade: String {
        localized(
            "The server offers only weaker ways to sign in than before, so nothing was sent; a third party may be listening. Sign in again only if your provider confirms the change."
        )
    }

    /// What the user has to do; `nil` for nothing.
    public static func need(of row: AccountRow) -> String? {
        switch row.need {
        case nil: nil
        case .password(isRejected: true)?: localized("The server does not accept the password any more.")
        case .password(isRejected: false)?: localized("The password of this account is not stored here.")
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
