internal import Localization
internal import TerminalApp
internal import XMPPClient

/// Reports the steps of a connection on standard error (`--verbose`).
final class ConnectionReport: SessionExtension {
    func watch(_ session: Session) -> ConnectionReport { self }

    func run(in session: Session) async {
        for await batch in session.events(.connection) {
            for case .connection(let event) in batch { StandardOutput.report("· " + event.words) }
        }
    }
}

extension ConnectionEvent {
    /// The step in words.
    var words: String {
        switch self {
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
        case .authenticationFailed(let error): CommandError(error).description
        case .streamError(let error): CommandError.oneLine("\(error)")
        case .disconnected(let error, let pause): Self.words(error, retryAfter: pause)
        case .extensionFailed(let name, let error): "\(name): \(CommandError(error).description)"
        }
    }

    private static func words(_ error: ClientError?, retryAfter pause: Duration?) -> String {
        guard let error else { return localized("offline") }
        let reason = CommandError(error).description
        guard let pause else { return reason }
        return localized("%@ Next try in %@ s.", reason, max(1, pause.components.seconds))
    }
}
