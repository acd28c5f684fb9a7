import JSONRPC
import TerminalApp
import Testing
import XMPPAddress

@testable import CommandLine

@Suite struct OutputTests {
    @Test("JSON has a fixed order, omits missing values and is one line")
    func json() {
        let value: JSONValue = ["b": "a\"\\\n\u{1B}\u{2028}é", "a": 3, "gone": .null, "list": .array([true, "x"])]
        #expect(value.description == #"{"b":"a\"\\\n\u001b\u2028é","a":3,"list":[true,"x"]}"#)
    }

    @Test("S2-22, S2-23: an empty address is rejected; without @ the account's domain is appended")
    func addresses() throws {
        let account = try JID("juliet@capulet.test")
        #expect(try account.partner("romeo").description == "romeo@capulet.test")
        #expect(try account.partner(" nurse@x.test ").description == "nurse@x.test")
        #expect(throws: CommandError.self) { try account.partner("  ") }
        #expect(throws: CommandError.self) { try account.partner("a b@c d") }
    }
}
