import AccountRegistration
import Testing
import XMLStreaming

@Suite("In-band registration on the wire (XEP-0077)")
struct RegistrationQueryTests {
    @Test("S2-18: reads the simple fields in the server's order")
    func fields() throws {
        let query = try RegistrationQuery(
            from: XMLElement(
                parsing:
                    "<query xmlns='jabber:iq:register'><instructions>Choose.</instructions><username/><password/><email/></query>"
            ))
        #expect(query.fields.map(\.name) == ["username", "password", "email"])
        #expect(query.instructions == "Choose.")
        #expect(!query.isRegistered)
    }

    @Test("reads a form, a web page and the flag of an existing account")
    func others() throws {
        let query = try RegistrationQuery(
            from: XMLElement(
                parsing: "<query xmlns='jabber:iq:register'><registered/><username>juliet</username>"
                    + "<x xmlns='jabber:x:data' type='form'><field var='username'/></x>"
                    + "<x xmlns='jabber:x:oob'><url>https://s.example/signup</url></x></query>"))
        #expect(query.isRegistered)
        #expect(query.form?["username"] != nil)
        #expect(query.webPage == "https://s.example/signup")
        #expect(query.fields == [.init(name: "username", value: "juliet")])
    }

    @Test("writes what it has read")
    func roundTrip() throws {
        let document =
            "<query xmlns='jabber:iq:register'><username>bill</username><password>Calliope</password></query>"
        let element = try XMLElement(parsing: document)
        #expect(XMLElement(try RegistrationQuery(from: element)) == element)
        #expect(
            XMLElement(RegistrationQuery(isRemoval: true))
                == (try XMLElement(parsing: "<query xmlns='jabber:iq:register'><remove/></query>")))
    }
}
