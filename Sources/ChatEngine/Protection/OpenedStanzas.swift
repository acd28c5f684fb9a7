internal import Synchronization
internal import XMPPClient
internal import XMPPStanzas

/// Gives the session an opened message in the place of the sealed one: each message is opened once, by the recorder, and the
/// other extensions of the session see what was opened.
///
/// Interceptors before it see the sealed message.
final class OpenedStanzas: SessionExtension, StanzaInterceptor {
    /// An opened message and the tag of the sealed one.
    struct Replacement: Sendable {
        fileprivate let sealed: Message
        fileprivate let opened: Message

        init(of sealed: Message, _ opened: Message) {
            self.sealed = sealed
            self.opened = opened
        }
    }

    /// In the order of the stream.
    private let waiting = Mutex<[Replacement]>([])

    var interceptors: [any StanzaInterceptor] { [self] }

    /// These are stored; the session handles them now, and no others before.
    func stored(_ replacements: [Replacement]) {
        waiting.withLock { $0 = replacements }
    }

    func concerns(received stanza: AnyStanza) -> Bool { if case .message = stanza { true } else { false } }
    func concerns(sent stanza: AnyStanza) -> Bool { false }

    func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza else { return .pass(stanza) }
        let opened = waiting.withLock { waiting -> Message? in
            guard let index = waiting.firstIndex(where: { $0.sealed.hasTag(of: message) }) else { return nil }
            defer { waiting.removeFirst(index + 1) }
            return waiting[index].opened
        }
        return .pass(.message(opened ?? message))
    }
}

extension Message {
    fileprivate func hasTag(of other: Message) -> Bool {
        id == other.id && from == other.from && to == other.to && type == other.type
    }
}
