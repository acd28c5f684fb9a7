internal import Synchronization
internal import XMPPClient
internal import XMPPStanzas

/// Passes the messages that the recorder has read and opened on to the session, in the place of what came: each stanza is read and opened
/// once, and the extensions of the session see what was opened.
///
/// Interceptors that come before it see what came.
final class ReceivedStanzas: SessionExtension, StanzaInterceptor {
    /// In the order of the stream.
    private let read = Mutex<[Message]>([])

    var interceptors: [any StanzaInterceptor] { [self] }

    /// These are in the store; the session looks at them now, and at no others before they are through.
    func stored(_ messages: [Message]) {
        read.withLock { $0 = messages }
    }

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(let message) = stanza else { return .pass(stanza) }
        let known = read.withLock { read -> Message? in
            guard let index = read.firstIndex(where: { $0.isOfOneStanza(with: message) }) else { return nil }
            defer { read.removeFirst(index + 1) }
            return read[index]
        }
        return .pass(.message(known ?? message))
    }
}

extension Message {
    /// Whether both were read from one stanza, as far as its tag says.
    fileprivate func isOfOneStanza(with other: Message) -> Bool {
        id == other.id && from == other.from && to == other.to && type == other.type
    }
}
