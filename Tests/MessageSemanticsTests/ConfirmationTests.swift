import MessagePayloads
import MessageSemantics
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Receipts and displayed markers")
struct ConfirmationTests {
    private let romeo: JID
    private let juliet: JID

    init() throws {
        romeo = try JID("romeo@montague.example")
        juliet = try JID("juliet@capulet.example/balcony")
    }

    /// How often a message asks for a receipt, and for a marker.
    private func requests(in message: Message) -> [Int] {
        [DeliveryReceiptRequest.name, DisplayedMarkerRequest.name].map { name in
            message.payloads.count { $0.isNamed(name) }
        }
    }

    private func asking(_ message: Message) -> Message {
        var message = message
        for _ in 0..<2 {
            message.requestReceipt()
            message.requestDisplayedMarker()
        }
        return message
    }

    @Test("a message asks once, although the builder and the extensions of the session both see to it")
    func once() throws {
        let built = try #require(
            MessageBuilder().message(
                .text(MessageText("But soft!")), id: "m1", in: ConversationAddress(romeo, kind: .direct)))
        #expect(requests(in: built) == [1, 1] && built.requestsReceipt)
        #expect(asking(built) == built)
        #expect(requests(in: asking(Message(to: romeo, type: .normal, body: "O"))) == [1, 1])
    }

    @Test("what is for a room, an error, without a text, or a confirmation itself does not ask (XEP-0184 §5.3, §5.4)")
    func never() throws {
        #expect(requests(in: asking(Message(to: romeo, type: .groupchat, body: "all"))) == [0, 0])
        #expect(requests(in: asking(Message(to: romeo, type: .error, body: "no"))) == [0, 0])
        #expect(requests(in: asking(Message(to: romeo, type: .chat))) == [0, 0])
        var receipt = Message.receipt(for: "m1", to: juliet, type: .chat)
        receipt.body = "with a text"
        #expect(requests(in: asking(receipt)) == [0, 1])
        var marker = Message.displayedMarker(for: "m1", to: juliet, type: .chat)
        marker.body = "with a text"
        #expect(requests(in: asking(marker)) == [1, 0])
    }

    @Test("a receipt and a marker have nothing but what they say, and a marker is for archives too")
    func confirmations() throws {
        let receipt = Message.receipt(for: "m1", to: juliet, type: .normal)
        #expect(
            XMLElement(receipt).description
                == "<message xmlns='jabber:client' to='juliet@capulet.example/balcony'>"
                + "<received xmlns='urn:xmpp:receipts' id='m1'/></message>"
        )
        let marker = Message.displayedMarker(for: "m1", to: juliet, type: .chat)
        #expect(
            marker.to == juliet && marker.type == .chat && marker.payloads.map(\.name.local) == ["displayed", "store"])
        #expect(marker.displayedMarker == DisplayedMarker(messageID: "m1") && marker.processingHints == [.store])
    }
}
