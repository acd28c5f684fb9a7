internal import ChatModel
internal import Localization
internal import XMPPClient

/// The connection as shown to the user: the state in the status row, and a line for each important change.
struct ConnectionStatus {
    private enum Link: Equatable {
        case online
        case connecting
        case offline(retryAt: ContinuousClock.Instant?)
    }

    private var link = Link.connecting
    private var shownReason: String?
    private var hasShownWaiting = false
    private var wasOnline = false
    private var onlineSince = ContinuousClock.now
    /// During a registration it is not an error that the account is unknown.
    private var isRegistering: Bool

    init(isRegistering: Bool = false) {
        self.isRegistering = isRegistering
    }

    var isOnline: Bool { link == .online }

    /// For this time after a login the server sends the current presence of contacts, which is not reported as a
    /// change.
    private static let settlingTime = Duration.seconds(5)

    /// Whether changes of presence should be reported.
    var isSettled: Bool { isOnline && .now - onlineSince > Self.settlingTime }

    /// The time of the next attempt, if it is known.
    var retryTime: ContinuousClock.Instant? { if case .offline(let time) = link { time } else { nil } }

    /// Updates the state from the session.
    ///
    /// - Parameter describe: describes why there is no connection.
    /// - Returns: a line to show, if there is a new message.
    mutating func changed(_ state: ConnectionState, describe: (ClientError) -> String) -> String? {
        switch state {
        case .online(let isResumed):
            guard link != .online else { return nil }
            defer { wasOnline = true }
            link = .online
            onlineSince = .now
            hasShownWaiting = false
            shownReason = nil
            isRegistering = false
            guard wasOnline else { return nil }
            return isResumed ? localized("Online again; nothing was lost.") : localized("Online again.")
        case .connecting:
            link = .connecting
            return nil
        case .offline(nil, _):
            link = .offline(retryAt: nil)
            return nil
        case .offline(let error?, let pause):
            if isRegistering, error.streamFailure?.code == .credentialsRejected { return nil }
            link = .offline(retryAt: pause.map { .now + $0 })
            let reason = describe(error)
            // Repeated attempts fail for the same reason, which is shown only once.
            guard reason != shownReason else { return nil }
            shownReason = reason
            return localized("Offline: %@", reason)
        }
    }

    /// The line that a message is waiting, once per offline period.
    mutating func waitingLine() -> String? {
        guard !isOnline, !hasShownWaiting else { return nil }
        hasShownWaiting = true
        return localized("Saved here; it is sent with the next connection.")
    }

    /// A short description of the state; `nil` while online.
    var text: String? {
        switch link {
        case .online: return nil
        case .connecting: return Wording.brief(.connecting(.connecting), remaining: nil)
        case .offline(let retryAt):
            return Wording.brief(.offline(reason: nil, nextAttempt: nil), remaining: retryAt.map { $0 - .now })
        }
    }
}
