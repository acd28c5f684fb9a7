internal import MessagePayloads
internal import XMLStreaming
public import XMPPStanzas

extension OpenedMessage {
    /// What only servers and rooms may say, from the stanza that came, whatever was inside the sealed part: anybody who can seal a message
    /// can write there what he likes.
    ///
    /// These are the addresses, type and `id`, the names that archives gave (XEP-0359), delays (XEP-0203), occupant ids (XEP-0421)
    /// and what rooms say about occupants (XEP-0045).
    public func taking(claimsOf sealed: Message) -> OpenedMessage {
        var opened = self
        opened.message.id = sealed.id
        opened.message.from = sealed.from
        opened.message.to = sealed.to
        opened.message.type = sealed.type
        for name in Self.claims {
            opened.message.payloads.removeAll(named: name)
            for claim in sealed.payloads where claim.isNamed(name) { opened.message.payloads.append(claim) }
        }
        return opened
    }

    private static let claims = [
        StanzaIdentifier.name, DelayedDelivery.name, OccupantIdentifier.name,
        XMLName("x", "http://jabber.org/protocol/muc#user"),
    ]
}
