import ChatModel
import Testing
import XMPPAddress

@Suite("Invitations")
struct AccountInvitationTests {
    @Test("an account with a given name, with any name, and with a contact")
    func links() throws {
        let named = try #require(AccountInvitation("xmpp:juliet@example.com?register;preauth=TOKEN"))
        #expect(named.provider == "example.com")
        #expect(named.userName == "juliet")
        #expect(named.token == "TOKEN")
        #expect(named.contact == nil)
        let free = try #require(AccountInvitation(" xmpp:example.com?register;preauth=TOKEN\n"))
        #expect(free.provider == "example.com")
        #expect(free.userName == nil)
        let contact = try #require(AccountInvitation("xmpp:romeo@example.com?roster;preauth=TOKEN;ibr=y;name=R%20M"))
        #expect(contact.provider == "example.com")
        #expect(contact.contact == (try JID("romeo@example.com")))
        #expect(contact.contactName == "R M")
        let contactOnly = try #require(AccountInvitation("xmpp:romeo@example.com?roster;preauth=TOKEN"))
        #expect(contactOnly.provider == nil)
        #expect(contactOnly.token == "TOKEN")
    }

    @Test("a web page for an invitation has the link in its fragment")
    func page() throws {
        let invitation = try #require(
            AccountInvitation("https://juicyxmpp.example/i/#romeo@montague.net?roster;preauth=1tMF;name=Romeo"))
        #expect(invitation.contact == (try JID("romeo@montague.net")))
        #expect(invitation.token == "1tMF")
    }

    @Test(
        "other links are not invitations",
        arguments: [
            "", "juliet@example.com", "xmpp:juliet@example.com", "xmpp:juliet@example.com?message;body=x",
            "xmpp:example.com?roster;preauth=T", "https://example.com/#", "https://example.com/", "xmpp:a@b?register;=",
        ])
    func others(text: String) { #expect(AccountInvitation(text) == nil) }
}
