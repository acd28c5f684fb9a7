import Testing
import XMPPAddress
import XMPPStanzas

@testable import Roster

@Suite("What strangers can make the roster store")
struct RosterFloodTests {
    private static func presence(of sender: String, status: String? = nil) throws -> Presence {
        var presence = Presence(show: .away, status: status, priority: 5)
        presence.from = try JID(sender)
        presence.payloads.append(Presence(status: String(repeating: "y", count: 100_000)))
        return presence
    }

    @Test("presence of strangers is not stored, however much arrives")
    func strangers() throws {
        var presences = ContactPresences()
        for number in 0..<3000 {
            let presence = try Self.presence(of: "s\(number)@evil.test/x")
            #expect(!presences.available(presence, from: try #require(presence.from), isListed: false))
        }
        #expect(presences.count == 0)
    }

    @Test(
        "before the roster is loaded presence of a limited number of addresses is stored, and afterwards that of contacts"
    )
    func unlisted() throws {
        var presences = ContactPresences()
        for number in 0..<3000 {
            let presence = try Self.presence(of: "s\(number)@evil.test/x")
            _ = presences.available(presence, from: try #require(presence.from), isListed: nil)
        }
        #expect(presences.count == ContactPresences.unlistedLimit)
        let contact = try JID("s5@evil.test")
        presences.removeAll { $0 != contact }
        #expect(presences.count == 1)
        presences.unavailable(try JID("s5@evil.test/x"))
        #expect(presences.count == 0)
    }

    @Test("only the displayed parts of a contact's presence are stored, for a limited number of devices")
    func stripped() throws {
        var presences = ContactPresences()
        let status = String(repeating: "é", count: 100_000)
        for number in 0..<100 {
            let presence = try Self.presence(of: "bob@xmpp.test/\(number)", status: status)
            _ = presences.available(presence, from: try #require(presence.from), isListed: true)
        }
        let kept = presences[try JID("bob@xmpp.test")]
        #expect(kept.count == ContactPresences.deviceLimit)
        let first = try #require(kept[try JID("bob@xmpp.test/0")])
        #expect(first.show == .away && first.priority == 5)
        #expect(first.status?.utf8.count == Presence.statusLimit)
        #expect(status.hasPrefix(first.status ?? "-"))
        #expect(Array(first.payloads).count == 3)
    }

    @Test("one domain cannot displace the requests of others, and dropped requests are counted")
    func requests() throws {
        var requests = PendingRequests()
        var reports = 0
        for number in 0..<10_000 {
            if requests.add(try JID("s\(number)@evil.test")) == .omitted, requests.isReportDue { reports += 1 }
        }
        #expect(requests.addresses.count == PendingRequests.domainLimit)
        #expect(requests.omitted == 10_000 - PendingRequests.domainLimit)
        #expect(reports == 14, "Each time the number has doubled.")
        let bob = try JID("bob@xmpp.test")
        #expect(requests.add(bob) == .added)
        #expect(requests.add(bob) == .known)
        requests.remove(try JID("s0@evil.test"))
        #expect(requests.add(try JID("late@evil.test")) == .added)
        for domain in 0..<2000 { _ = requests.add(try JID("x@d\(domain).test")) }
        #expect(requests.addresses.count == PendingRequests.limit)
    }
}
