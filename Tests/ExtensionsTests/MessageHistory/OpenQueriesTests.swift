import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import MessageHistory

/// XEP-0313 §8.2: who may send results, and when.
@Suite("Results are only accepted from the queried archive")
struct OpenQueriesTests {
    private let account: JID
    private let room: JID

    init() throws {
        account = try JID("juliet@capulet.lit")
        room = try JID("coven@chat.shakespeare.lit")
    }

    private func result(_ id: String, query: String? = "q1") -> ArchiveResult {
        ArchiveResult(queryID: query, id: id, forwarded: ForwardedMessage(Message(body: id)))
    }

    private func queries(own: Bool, limit: Int = 10) -> OpenQueries {
        var queries = OpenQueries()
        queries.open(id: "q1", archive: own ? account : room, isOwn: own, limit: limit)
        return queries
    }

    @Test("from our own account: its bare address, or no sender")
    func own() throws {
        var queries = queries(own: true)
        #expect(queries.received(result("1"), from: account) == .collected)
        #expect(queries.received(result("2"), from: nil) == .collected)
        #expect(queries.close(id: "q1")?.messages.map(\.id) == ["1", "2"])
    }

    @Test(
        "a stranger, a contact, another device, the server and an occupant are not the account's archive",
        arguments: [
            "mallory@evil.lit", "mallory@evil.lit/x", "juliet@capulet.lit/other", "capulet.lit",
            "coven@chat.shakespeare.lit", "coven@chat.shakespeare.lit/juliet", "juliet@capulet.lit.evil.lit",
        ])
    func forgedOwn(sender: String) throws {
        var queries = queries(own: true)
        #expect(queries.received(result("x"), from: try JID(sender)) == .unsolicited)
        queries.answered(id: "q1", from: try JID(sender))
        #expect(queries.received(result("1"), from: account) == .collected)
        #expect(queries.close(id: "q1")?.messages.map(\.id) == ["1"])
    }

    @Test(
        "only the room is the room's archive",
        arguments: [
            "coven@chat.shakespeare.lit/witch", "juliet@capulet.lit", "chat.shakespeare.lit",
            "other@chat.shakespeare.lit",
        ])
    func forgedRoom(sender: String) throws {
        var queries = queries(own: false)
        #expect(queries.received(result("x"), from: try JID(sender)) == .unsolicited)
        #expect(queries.received(result("x"), from: nil) == .unsolicited)
        #expect(queries.received(result("1"), from: room) == .collected)
        #expect(queries.close(id: "q1")?.messages.map(\.archive) == [room])
    }

    @Test("the id of an open query is required")
    func identifiers() {
        var queries = queries(own: true)
        #expect(queries.received(result("x", query: "q2"), from: account) == .unsolicited)
        #expect(queries.received(result("x", query: nil), from: account) == .unsolicited)
        #expect(queries.close(id: "q1")?.messages == [])
        #expect(queries.received(result("x"), from: account) == .unsolicited)
        #expect(queries.isEmpty)
    }

    @Test("two concurrent queries are separate, also by archive")
    func twoAtOnce() {
        var queries = queries(own: true)
        queries.open(id: "q2", archive: room, isOwn: false, limit: 10)
        #expect(queries.received(result("1"), from: account) == .collected)
        #expect(queries.received(result("2", query: "q2"), from: room) == .collected)
        #expect(queries.received(result("x"), from: room) == .unsolicited)
        #expect(queries.received(result("x", query: "q2"), from: account) == .unsolicited)
        #expect(queries.close(id: "q1")?.messages.map(\.id) == ["1"])
        #expect(queries.close(id: "q2")?.messages.map(\.id) == ["2"])
    }

    @Test("results after the end are ignored")
    func late() {
        var queries = queries(own: true)
        #expect(queries.received(result("1"), from: account) == .collected)
        queries.answered(id: "q1", from: account)
        #expect(queries.received(result("late"), from: account) == .unsolicited)
        #expect(queries.close(id: "q1")?.messages.map(\.id) == ["1"])
    }

    /// The information about a skipped result.
    private func head(_ id: String?, query: String? = "q1", name: XMLName = ArchiveResult.name) -> XMLElement {
        XMLElement(name) { writer in
            writer.attribute("queryid", query)
            writer.attribute("id", id)
        }
    }

    @Test("an unreadable result has a position and is counted")
    func skipped() {
        var queries = queries(own: true)
        #expect(queries.received(result("1"), from: account) == .collected)
        queries.skipped(head("2"), from: account)
        queries.skipped(head("3"), from: nil)
        #expect(queries.received(result("4"), from: account) == .collected)
        let page = queries.close(id: "q1")
        #expect(page?.messages.map(\.id) == ["1", "2", "3", "4"])
        #expect(page?.messages.map { $0.message == nil } == [false, true, true, false])
        #expect(page?.unreadable == 2)
    }

    @Test("a result without a query is not counted, and too many are an error")
    func skippedForeign() throws {
        var queries = queries(own: true, limit: 2)
        queries.skipped(head("x"), from: room)
        queries.skipped(head("x", query: "q2"), from: account)
        queries.skipped(head("x", query: nil), from: account)
        queries.skipped(head(nil), from: account)
        queries.skipped(head("x", name: XMLName("result", "jabber:client")), from: account)
        queries.skipped(head("1"), from: account)
        queries.skipped(head("2"), from: account)
        queries.answered(id: "q1", from: account)
        queries.skipped(head("late"), from: account)
        let page = queries.close(id: "q1")
        #expect(page?.messages.map(\.id) == ["1", "2"] && page?.unreadable == 2)
        queries.open(id: "q3", archive: account, isOwn: true, limit: 1)
        for id in 0..<3 { queries.skipped(head("\(id)", query: "q3"), from: account) }
        #expect(queries.close(id: "q3") == nil)
    }

    @Test("more results than requested are not stored, and the page is rejected")
    func tooMuch() {
        var queries = queries(own: true, limit: 2)
        for id in 0..<1000 { #expect(queries.received(result("\(id)"), from: account) == .collected) }
        #expect(queries.close(id: "q1") == nil)
    }
}
