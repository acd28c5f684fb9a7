internal import ChatModel
internal import Localization
internal import XMPPClient

/// What a person hears of the connection: the state in the status row, and a line for each change that matters.
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
    /// An account that is registered now was unknown a moment ago, and that is no failure.
    private var isRegistering: Bool

    init(isRegistering: Bool = false) {
        self.isRegistering = isRegistering
    }

    var isOnline: Bool { link == .online }

    /// So long after a login the server tells who is there already, which is no news.
    private static let settlingTime = Duration.seconds(5)

    /// Who comes and goes now is news.
    var isSettled: Bool { isOnline && .now - onlineSince > Self.settlingTime }

    /// When the next attempt is made, if that is known.
    var retryTime: ContinuousClock.Instant? { if case .offline(let time) = link { time } else { nil } }

    /// Takes over the state of the session.
    ///
    /// - Parameter describe: says why there is no connection.
    /// - Returns: a line to show, if there is something new.
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
            // One attempt after the other fails for the same reason; once is enough.
            guard reason != shownReason else { return nil }
            shownReason = reason
            return localized("Offline: %@", reason)
        }
    }

    /// The line that says that a message waits, once for each time without a connection.
    mutating func waitingLine() -> String? {
        guard !isOnline, !hasShownWaiting else { return nil }
        hasShownWaiting = true
        return localized("Kept here; it goes out with the next connection.")
    }

    /// The state in few words; `nil` while online.
    var text: String? {
        switch link {
        case .online: return nil
        case .connecting: return Wording.brief(.connecting(.connecting), remaining: nil)
        case .offline(let retryAt):
            return Wording.brief(.offline(reason: nil, nextAttempt: nil), remaining: retryAt.map { $0 - .now })
        }
    }
}
