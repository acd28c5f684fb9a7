import TerminalApp
import Testing
import XMPPAddress

@testable import CommandLine

@Suite struct OutputTests {
    @Test("JSON keeps its order, leaves out what is missing and fits on one line")
    func json() {
        let value: JSONValue = ["b": "a\"\\\n\u{1B}\u{2028}é", "a": 3, "gone": .null, "list": .array([true, "x"])]
        #expect(value.description == #"{"b":"a\"\\\n\u001b\u2028é","a":3,"list":[true,"x"]}"#)
    }

    @Test("S2-22, S2-23: an empty address is refused; without @ the own domain is appended")
    func addresses() throws {
        let account = try JID("juliet@capulet.test")
        #expect(try ContactAddress.parse("romeo", account: account).description == "romeo@capulet.test")
        #expect(try ContactAddress.parse(" nurse@x.test ", account: account).description == "nurse@x.test")
        #expect(throws: CommandError.self) { try ContactAddress.parse("  ", account: account) }
        #expect(throws: CommandError.self) { try ContactAddress.parse("a b@c d", account: account) }
    }
}
