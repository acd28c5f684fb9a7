import XMPPAddress
import XMPPClient
import XMPPStanzas

extension Session {
    /// The token of the message with this `id`, if it was sent to the account (or server) that now refers to it.
    func token(_ id: String, sentTo sender: JID) -> SendToken? {
        guard let token = token(stanzaID: id), case .message(let sent) = token.stanza, let receiver = sent.to else {
            return nil
        }
        // A server responds on behalf of an account that does not exist, or with its own address.
        return receiver.bare == sender.bare || receiver.domainJID == sender ? token : nil
    }
}
