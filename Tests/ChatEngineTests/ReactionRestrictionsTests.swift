import ChatStore
import ChatStoreTesting
import HongyanTesting
import MessageFeatures
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

@Suite("Which reactions are accepted", .timeLimit(.minutes(10)))
struct ReactionRestrictionsTests {
    private static let roster =
        "<query xmlns='jabber:iq:roster'><item jid='bob@xmpp.test' subscription='both'/></query>"
    private static let information = """
        <query xmlns='http://jabber.org/protocol/disco#info'><identity category='client' type='bot'/>\
        <feature var='urn:xmpp:reactions:0'/><x xmlns='jabber:x:data' type='result'>\
        <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:reactions:0:restrictions</value></field>\
        <field var='max_reactions_per_user'><value>1</value></field></x></query>
        """

    @Test("the gateway of a contact is asked as soon as it is online, and others are not sent to it (XEP-0444 §2.2)")
    func gateway() async throws {
        let server = MemoryServer()
        await server.answer { stanza in
            guard stanza.name.local == "iq", stanza["type"] == "get", let id = stanza["id"] else { return nil }
            if stanza.firstChild?.name.namespace == "jabber:iq:roster" {
                return ["<iq type='result' id='\(id)'>\(Self.roster)</iq>"]
            }
            guard stanza["to"] == "bob@xmpp.test/gateway" else { return nil }
            return ["<iq type='result' id='\(id)' from='bob@xmpp.test/gateway'>\(Self.information)</iq>"]
        }
        let configuration = try server.account("alice")
        let store = MemoryStore()
        let address = configuration.address
        let id = try await store.write { store throws(StoreError) in try store.addAccount(address) }
        let account = ChatAccount(id, configuration: configuration, store: store)
        let events = account.events()
        let running = Task { try await account.run() }
        defer { running.cancel() }

        let bob = try JID("bob@xmpp.test")
        let key = ConversationKey(account: id, address: bob, kind: .direct)
        await server.next("presence")
        #expect(await account.reactionRestrictions(in: key) == nil, "Nobody is asked who is not seen.")
        try await server.send("<presence from='bob@xmpp.test/gateway' to='alice@xmpp.test'/>", to: "alice")
        for await event in events { if case .presence(bob) = event { break } }
        #expect(await account.reactionRestrictions(in: key) == ReactionRestrictions(maximumPerUser: 1))

        let target = TargetReference.sent(id: "m1")
        _ = try await account.send(.reactions(to: target, ["👍"]), in: key)
        await #expect(throws: StoreError.reactionsNotAccepted) {
            _ = try await account.send(.reactions(to: target, ["👍", "🎉"]), in: key)
        }
        _ = try await account.send(.reactions(to: target, []), in: key)
    }
}
