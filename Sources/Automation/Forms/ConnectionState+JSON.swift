internal import ChatModel
package import JSONRPC
package import XMPPAddress
package import XMPPClient
package import XMPPStream

extension ConnectionState {
    /// The members of the JSON object.
    package func facts(as address: JID?) -> [(String, JSONValue)] {
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
    package var causeFacts: JSONValue? {
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
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// Whole seconds, rounded.
    package var roundedSeconds: Int64 { (wholeMilliseconds + 500) / 1000 }
}
