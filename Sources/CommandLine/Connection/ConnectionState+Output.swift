internal import ChatModel
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

extension ConnectionState {
    /// The state as text for the user.
    ///
    /// - Parameters:
    ///   - address: the address of the session, for the state online.
    ///   - remaining: the time until the next attempt; by default the whole delay.
    func phrase(as address: JID?, remaining: Duration? = nil) -> Phrase {
        switch self {
        case .offline(nil, _): return Phrase("offline")
        case .offline(let reason?, let next):
            let words = Phrase.wording { Wording.failure(reason, domain: address?.domain) }
            guard let next = remaining ?? next else { return Phrase("offline: %@", words) }
            return Phrase("offline: %@ Next try in %@ s.", words, max(0, next.roundedSeconds))
        case .connecting(let step):
            return Phrase("connecting: %@", Phrase.wording { Wording.step(step, to: address?.domain) })
        case .online(let isResumed):
            let kind = isResumed ? Phrase("the session was resumed") : Phrase("a new session")
            return address.map { Phrase("online: %@, %@", kind, $0) } ?? Phrase("online: %@", kind)
        }
    }

    /// The members of the JSON object.
    func facts(as address: JID?) -> [(String, JSONValue)] {
        switch self {
        case .offline(let reason, let next):
            [
                ("state", "offline"), ("reason", .text(reason?.message)),
                ("retry", .count(next.map { max(0, $0.roundedSeconds) })),
                ("cause", reason?.streamFailure?.causeFacts ?? .null),
            ]
        case .connecting(let step): [("state", "connecting"), ("step", .string(step.code))]
        case .online(let isResumed):
            [("state", "online"), ("resumed", .bool(isResumed)), ("address", .text(address))]
        }
    }
}

extension StreamFailure {
    /// The stanza that broke the stream, as an object of JSON.
    var causeFacts: JSONValue? {
        brokenStanza.map { ["stanza": .string($0.name.local), "from": .text(sender), "id": .text($0.id)] }
    }
}

extension ConnectionStep {
    /// The name in JSON.
    var code: String {
        switch self {
        case .connecting: "connecting"
        case .securing: "securing"
        case .authenticating: "authenticating"
        case .resuming: "resuming"
        case .binding: "binding"
        case .registering: "registering"
        }
    }
}

extension Duration {
    /// Whole seconds, rounded.
    var roundedSeconds: Int64 { (wholeMilliseconds + 500) / 1000 }
}
