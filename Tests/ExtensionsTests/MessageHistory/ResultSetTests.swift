import MessageHistory
import Testing
import XMLStreaming

/// The examples of XEP-0059.
@Suite("Result set management")
struct ResultSetTests {
    @Test(
        "requests",
        arguments: [
            ("<max>10</max>", ResultSetRequest(maximum: 10)),
            (
                "<max>10</max><after>peterpan@neverland.lit</after>",
                .init(.after("peterpan@neverland.lit"), maximum: 10)
            ),
            ("<max>10</max><before>peter@pixyland.org</before>", .init(.before("peter@pixyland.org"), maximum: 10)),
            ("<max>10</max><before/>", .init(.last, maximum: 10)),
            ("<max>10</max><index>371</index>", .init(.index(371), maximum: 10)),
            ("<max>0</max>", .init(maximum: 0)),
            ("", .init()),
        ])
    func requests(content: String, expected: ResultSetRequest) throws {
        let element = try XMLElement(parsing: "<set xmlns='http://jabber.org/protocol/rsm'>\(content)</set>")
        #expect(try ResultSetRequest(from: element) == expected)
        #expect(XMLElement(expected) == element)
    }

    @Test(
        "responses",
        arguments: [
            (
                "<first index='0'>stpeter@jabber.org</first><last>peterpan@neverland.lit</last><count>800</count>",
                ResultSet(first: "stpeter@jabber.org", firstIndex: 0, last: "peterpan@neverland.lit", count: 800)
            ),
            ("<first>a</first><last>b</last>", ResultSet(first: "a", last: "b")),
            ("<count>790</count>", ResultSet(count: 790)),
            ("", ResultSet()),
        ])
    func answers(content: String, expected: ResultSet) throws {
        let element = try XMLElement(parsing: "<set xmlns='http://jabber.org/protocol/rsm'>\(content)</set>")
        #expect(try ResultSet(from: element) == expected)
        #expect(XMLElement(expected) == element)
    }

    @Test("invalid numbers", arguments: ["-1", "x", "", "99999999999999999999"])
    func badNumbers(number: String) throws {
        for name in ["max", "index"] {
            let element = try XMLElement(
                parsing: "<set xmlns='http://jabber.org/protocol/rsm'><\(name)>\(number)</\(name)></set>")
            #expect(throws: XMLDecodingError.self) { try ResultSetRequest(from: element) }
        }
        // In a response they are only hints.
        let element = try XMLElement(
            parsing: "<set xmlns='http://jabber.org/protocol/rsm'><first index='\(number)'>a</first>"
                + "<count>\(number)</count></set>")
        #expect(try ResultSet(from: element) == ResultSet(first: "a"))
    }
}
