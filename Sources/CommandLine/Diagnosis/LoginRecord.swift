internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// The steps of a login with their times, from the events of a session.
struct LoginRecord: Sendable {
    private(set) var mechanism: String?
    private(set) var isAuthenticated = false
    private(set) var address: JID?
    private(set) var isOnline = false
    private var began: ContinuousClock.Instant?
    private var authenticated: ContinuousClock.Instant?
    private var bound: ContinuousClock.Instant?

    mutating func add(_ event: ConnectionEvent, at now: ContinuousClock.Instant = .now) {
        switch event {
        case .authenticating(let name):
            mechanism = name
            began = began ?? now
        case .authenticated:
            isAuthenticated = true
            authenticated = now
        case .bound(let jid), .resumed(let jid):
            address = jid
            bound = now
        case .online: isOnline = true
        default: break
        }
    }

    var authenticationDuration: Duration? {
        guard let began, let authenticated else { return nil }
        return authenticated - began
    }

    var bindingDuration: Duration? {
        guard let authenticated, let bound else { return nil }
        return bound - authenticated
    }

    /// Reads events until the session is online or the login has failed.
    static func collect(from events: SessionEvents) async -> LoginRecord {
        var record = LoginRecord()
        for await batch in events {
            for case .connection(let event) in batch { record.add(event) }
            if record.isOnline { break }
        }
        return record
    }
}
