import AdHocCommands
import DataForms
import Testing
import XMLStreaming
import XMPPStanzas

@Suite("Ad-hoc commands on the wire (XEP-0050)")
struct CommandElementTests {
    /// XEP-0050 examples 6, 7, 10, 13 and 15.
    private static let documents = [
        "<command xmlns='http://jabber.org/protocol/commands' node='list' action='execute'/>",
        """
        <command xmlns='http://jabber.org/protocol/commands' node='list' sessionid='list:20020923T213616Z-700' \
        status='completed'><x xmlns='jabber:x:data' type='result'><title>Available Services</title>\
        <reported><field var='service' label='Service'/><field var='runlevel-1' label='Run-Level 1'/></reported>\
        <item><field var='service'><value>httpd</value></field>\
        <field var='runlevel-1'><value>off</value></field></item>\
        <item><field var='service'><value>postgresql</value></field>\
        <field var='runlevel-1'><value>on</value></field></item></x></command>
        """,
        """
        <command xmlns='http://jabber.org/protocol/commands' node='config' sessionid='config:20020923T213616Z-700' \
        status='executing'><actions execute='complete'><prev/><complete/></actions>\
        <note type='info'>The change needs a restart.</note>\
        <x xmlns='jabber:x:data' type='form'><title>Configure Service</title>\
        <instructions>Please select the run modes and state for 'httpd'.</instructions>\
        <field var='state' type='list-single' label='State'><value>off</value>\
        <option label='Active'><value>off</value></option><option label='Inactive'><value>on</value></option>\
        </field></x></command>
        """,
        """
        <command xmlns='http://jabber.org/protocol/commands' node='config' sessionid='config:20020923T213616Z-700' \
        action='prev'/>
        """,
        """
        <command xmlns='http://jabber.org/protocol/commands' node='config' sessionid='config:20020923T213616Z-700' \
        status='canceled'/>
        """,
    ]

    @Test("writes what it has read", arguments: documents)
    func roundTrip(_ document: String) throws {
        let element = try XMLElement(parsing: document)
        #expect(XMLElement(try CommandElement(from: element)) == element)
    }

    @Test("reads the table of a result")
    func table() throws {
        let form = try #require(try CommandElement(from: XMLElement(parsing: Self.documents[1])).form)
        #expect(form.columns.map(\.label) == ["Service", "Run-Level 1"])
        #expect(form.rows.map { $0.map(\.values) } == [[["httpd"], ["off"]], [["postgresql"], ["on"]]])
        #expect(form.fields.isEmpty)
    }

    @Test("reads the actions, the standard one and the notes")
    func actions() throws {
        let command = try CommandElement(from: XMLElement(parsing: Self.documents[2]))
        #expect(command.actions == .init([.previous, .complete], standard: .complete))
        #expect(command.notes == [CommandNote("The change needs a restart.")])
        #expect(command.status == .executing)
    }

    @Test("an action that no version knows is refused, an unknown status is none")
    func unknown() throws {
        #expect(throws: XMLDecodingError.self) {
            try CommandElement(
                from: XMLElement(parsing: "<command xmlns='http://jabber.org/protocol/commands' node='a' action='x'/>"))
        }
        let command = try CommandElement(
            from: XMLElement(parsing: "<command xmlns='http://jabber.org/protocol/commands' node='a' status='x'/>"))
        #expect(command.status == nil)
        #expect(throws: XMLDecodingError.self) {
            try CommandElement(from: XMLElement(parsing: "<command xmlns='http://jabber.org/protocol/commands'/>"))
        }
    }

    @Test("a refusal is found in its error", arguments: CommandRefusal.allCases)
    func refusals(_ refusal: CommandRefusal) throws {
        let error = try StanzaError(from: XMLElement(refusal.error("Why.")))
        #expect(CommandRefusal(error) == refusal)
        #expect(error.condition == (refusal == .sessionExpired ? .notAllowed : .badRequest))
        #expect(CommandRefusal(StanzaError(.badRequest)) == nil)
    }
}
