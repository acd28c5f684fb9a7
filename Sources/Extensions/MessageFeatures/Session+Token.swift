import XMPPAddress
import XMPPClient
import XMPPStanzas

extension Session {
    /// The token of the message `id`, if it was sent to the account (or server) that speaks of it now.
    func token(_ id: String, sentTo sender: JID) -> SendToken? {
        guard let token = token(stanzaID: id), case .message(let sent) = token.stanza, let receiver = sent.to else {
            return nil
        }
        // A server answers in the name of an account that does not exist, or in its own.
        return receiver.bare == sender.bare || receiver.domainJID == sender ? token : nil
    }
}
