internal import Automation
internal import ChatModel
internal import XMPPAddress
internal import XMPPClient

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
            let wait = Phrase.wording { Wording.seconds(max(0, next.roundedSeconds)) }
            return Phrase("offline: %@ Next try in %@.", words, wait)
        case .connecting(let step):
            return Phrase("connecting: %@", Phrase.wording { Wording.step(step, to: address?.domain) })
        case .online(let isResumed):
            let kind = isResumed ? Phrase("the session was resumed") : Phrase("a new session")
            return address.map { Phrase("online: %@, %@", kind, $0) } ?? Phrase("online: %@", kind)
        }
    }
}
