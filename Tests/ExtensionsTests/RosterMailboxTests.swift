import Testing
import XMPPAddress

@testable import Roster

@Suite("Pending changes of a roster observer")
struct RosterMailboxTests {
    private func contact(_ number: Int, name: String? = nil) throws -> Contact {
        Contact(item: RosterItem(address: try JID("c\(number)@example.org"), name: name))
    }

    @Test("several changes of one contact are pending as one, the last")
    func coalescing() throws {
        let mailbox = RosterMailbox()
        for round in 0..<100 {
            for number in 0..<3 { mailbox.post(.changed(try contact(number, name: "\(round)"))) }
        }
        let batch = mailbox.takeWaiting() ?? []
        #expect(
            batch == [
                .changed(try contact(0, name: "99")), .changed(try contact(1, name: "99")),
                .changed(try contact(2, name: "99")),
            ])
        #expect(mailbox.takeWaiting() == nil)
    }

    @Test("a complete roster is pending once, however often it is sent; the rest remains")
    func population() throws {
        let mailbox = RosterMailbox()
        mailbox.post(.request(try JID("a@example.org"), text: "hello"))
        for _ in 0..<10 {
            mailbox.post(.populating)
            for number in 0..<5 { mailbox.post(.item(try contact(number).item)) }
            mailbox.post(.populated)
        }
        let batch = mailbox.takeWaiting() ?? []
        #expect(batch.count == 8)
        #expect(batch.first == .request(try JID("a@example.org"), text: "hello"))
        #expect(batch[1] == .populating)
        #expect(batch.last == .populated)
    }

    @Test("repeated requests of one contact do not accumulate")
    func repetition() throws {
        let mailbox = RosterMailbox()
        let stranger = try JID("x@example.org")
        for _ in 0..<1000 {
            mailbox.post(.approved(stranger))
            mailbox.post(.refused(stranger))
        }
        #expect(mailbox.takeWaiting() == [.approved(stranger), .refused(stranger)])
    }

    @Test("changes before the end are read, then the observation ends")
    func ending() async throws {
        let mailbox = RosterMailbox()
        mailbox.post(.populated)
        mailbox.finish()
        var iterator = RosterEvents(mailbox: mailbox).makeAsyncIterator()
        #expect(await iterator.next() == [.populated])
        #expect(await iterator.next() == nil)
    }
}
