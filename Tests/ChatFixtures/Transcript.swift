import MessageHistory
import Synchronization
import XMLStreaming
import XMPPClient
import XMPPStanzas

/// The last stanzas of an account with their times, told when a test has waited in vain.
final class Transcript: SessionExtension, StanzaInterceptor {
    private enum Event {
        case began(isResumed: Bool)
        case received(AnyStanza)
        case sent(AnyStanza)
    }

    private static let limit = 60
    private static let lineLimit = 300
    private let start = ContinuousClock.now
    private let events = Mutex<[(time: Duration, event: Event)]>([])

    var interceptors: [any StanzaInterceptor] { [self] }

    var text: String {
        events.withLock { $0 }.map { time, event in
            let line =
                switch event {
                case .began(let isResumed): isResumed ? "resumed" : "began"
                case .received(let stanza): "< \(XMLElement(stanza))"
                case .sent(let stanza): "> \(XMLElement(stanza))"
                }
            return "\(Int(time / .milliseconds(1))) ms \(line.prefix(Self.lineLimit))"
        }.joined(separator: "\n")
    }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        note(.began(isResumed: isResumed))
    }

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        // A page of an archive would leave no place for what was before it.
        if !stanza.payloads.contains(ArchiveResult.name) { note(.received(stanza)) }
        return .pass(stanza)
    }

    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        note(.sent(stanza))
        return .pass(stanza)
    }

    private func note(_ event: Event) {
        let time = ContinuousClock.now - start
        events.withLock { events in
            if events.count == Self.limit { events.removeFirst() }
            events.append((time, event))
        }
    }
}
