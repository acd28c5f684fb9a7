import Roster
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Contact list on real servers")
struct RosterLiveTests {
    /// Romeo adds Juliet, Juliet accepts and adds back; returns when both see each other online.
    private func befriend(_ romeo: Session, _ juliet: Session, named name: String? = nil) async throws {
        let first = try #require(romeo[Roster.self])
        let second = try #require(juliet[Roster.self])
        let address = try #require(await juliet.address)
        let mine = await first.events()
        let theirs = await second.events()
        #expect(try await first.add(address, name: name) == .requested)
        let asking = try await theirs.first { if case .request(let address, _) = $0 { address } else { nil } }
        #expect(asking == (await romeo.address)?.bare)
        try await second.accept(asking)
        try await mine.first { event in
            if case .changed(let contact) = event, contact.section == .online, contact.item.subscription == .both {
                ()
            } else {
                nil
            }
        }
        try await theirs.first { event in
            if case .changed(let contact) = event, contact.section == .online, contact.item.subscription == .both {
                ()
            } else {
                nil
            }
        }
    }

    @Test(
        "S0-80, S0-81, S0-83, S3-24, S2-25, S2-27, S2-28: request, be requested, accept, add back, with our own name",
        arguments: LiveServer.allCases)
    func adding(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            try await befriend(romeo, juliet, named: "朱丽叶")
            let roster = try #require(romeo[Roster.self])
            let contact = try #require(await roster.contacts.first)
            #expect(contact.displayName == "朱丽叶")
            #expect(contact.section == .online)
            #expect(await juliet[Roster.self]?.requests == [])
        }
    }

    @Test("S0-11: without approval nobody sees presence", arguments: LiveServer.allCases)
    func unapproved(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let (mine, theirs) = (try #require(romeo[Roster.self]), try #require(juliet[Roster.self]))
            let address = try #require(await juliet.address)
            let requests = await theirs.events()
            let seen = romeo.events([.presences, .messages])
            #expect(try await mine.add(address) == .requested)
            try await requests.first { if case .request = $0 { () } else { nil } }
            try await juliet.send(Presence(show: .doNotDisturb))
            // The server passes on what it gets in order: the presence would be there before the message.
            try await juliet.send(.chat(to: try #require(await romeo.address), body: "fence"))
            var presences = 0
            reading: for await batch in seen {
                for event in batch {
                    if case .presence(let presence) = event, presence.from?.bare == address.bare,
                        presence.type == .available
                    {
                        presences += 1
                    }
                    if case .message(let message) = event, message.body == "fence" { break reading }
                }
            }
            #expect(presences == 0)
        }
    }

    @Test(
        "S0-15: a message goes to the device with priority, and never to one with a negative",
        arguments: LiveServer.allCases)
    func priorities(kind: LiveServer) async throws {
        let server = try await kind.server
        let account = try await server.newAccount("juliet")
        let (phone, machine) = (Client(try server.configuration(account)), Client(try server.configuration(account)))
        let romeo = Client(try server.configuration(try await server.newAccount("romeo")))
        try await phone.run { first in
            try await first.send(Presence(priority: 5))
            try await machine.run { second in
                try await second.send(Presence(priority: -1))
                try await second.ping()
                try await romeo.run { sender in
                    let (wanted, never) = (first.events(.messages), second.events(.messages))
                    let own = try #require(await second.address)
                    try await withDeadline {
                        try await sender.send(.chat(to: own.bare, body: "for the account"))
                        try await sender.send(.chat(to: own, body: "fence"))
                        let body = try await wanted.firstMessage { $0.body }
                        #expect(body == "for the account")
                        let other = try await never.firstMessage { $0.body }
                        #expect(other == "fence")
                    }
                }
            }
        }
    }

    @Test(
        "S1-9, S1-22, S2-26: any number of observers of the roster that the session loaded see its changes, from any task",
        arguments: LiveServer.allCases)
    func observers(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let roster = try #require(romeo[Roster.self])
            var observers: [RosterEvents] = []
            for _ in 0..<8 { observers.append(await roster.events()) }
            try await befriend(romeo, juliet)
            await withTaskGroup(of: Bool.self) { group in
                for events in observers {
                    group.addTask {
                        let found: Bool? = try? await events.first { event in
                            if case .changed(let contact) = event, contact.item.subscription == .both {
                                true
                            } else {
                                nil
                            }
                        }
                        return found ?? false
                    }
                }
                for await saw in group { #expect(saw) }
            }
        }
    }

    @Test("S2-24: adding a contact again sends nothing", arguments: LiveServer.allCases)
    func alreadyContact(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            try await befriend(romeo, juliet)
            let roster = try #require(romeo[Roster.self])
            let address = try #require(await juliet.address)
            guard case .alreadyContact(let contact) = try await roster.add(address) else {
                Issue.record("a request was sent to a contact")
                return
            }
            #expect(contact.address == address.bare)
        }
    }

    @Test(
        "S0-12, S0-13, S0-14, S2-15, S2-17, S2-32, S2-35: show, status and going offline move a contact between the sections",
        arguments: LiveServer.allCases)
    func sections(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            try await befriend(romeo, juliet)
            let roster = try #require(romeo[Roster.self])
            let events = await roster.events()
            for (show, section) in [
                (Presence.Show.doNotDisturb, Contact.Section.away), (.chat, .online), (.extendedAway, .away),
                (.away, .away),
            ] {
                try await juliet.send(Presence(show: show, status: "我现在很忙"))
                let seen = try await events.first { event -> Contact? in
                    if case .changed(let contact) = event, contact.primary?.show == show { contact } else { nil }
                }
                #expect(seen.section == section)
                #expect(seen.status == "我现在很忙")
            }
            try await juliet.send(Presence(type: .unavailable))
            try await events.first { event in
                if case .changed(let contact) = event, contact.section == .offline { () } else { nil }
            }
            // An empty presence suffices to be online again.
            try await juliet.send(Presence())
            try await events.first { event in
                if case .changed(let contact) = event, contact.section == .online { () } else { nil }
            }
        }
    }

    @Test("S2-27: a request can be refused", arguments: LiveServer.allCases)
    func rejecting(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let first = try #require(romeo[Roster.self])
            let second = try #require(juliet[Roster.self])
            let mine = await first.events()
            let theirs = await second.events()
            _ = try await first.add(try #require(await juliet.address))
            let asking = try await theirs.first { if case .request(let address, _) = $0 { address } else { nil } }
            try await second.reject(asking)
            try await mine.first { if case .refused = $0 { () } else { nil } }
            #expect(await second.requests.isEmpty)
            #expect(await second.contacts.isEmpty)
        }
    }

    @Test(
        "S0-82, S2-38: removing ends both subscriptions; the other user's item keeps its name unless it removes such items",
        arguments: LiveServer.allCases, [false, true])
    func removing(kind: LiveServer, removes: Bool) async throws {
        var policy = RosterPolicy()
        if removes { policy.removesUnsubscribed = true }
        try await kind.server.withTwo(roster: policy) { romeo, juliet in
            try await befriend(romeo, juliet)
            let first = try #require(romeo[Roster.self])
            let second = try #require(juliet[Roster.self])
            let mine = await first.events()
            let theirs = await second.events()
            let (his, hers) = (try #require(await romeo.address).bare, try #require(await juliet.address).bare)
            try await second.rename(his, to: "Montague")
            try await first.remove(hers)
            try await mine.first { if case .removed = $0 { () } else { nil } }
            #expect(await first.contacts.isEmpty)
            if removes {
                try await theirs.first { if case .removed = $0 { () } else { nil } }
                #expect(await second.allItems.isEmpty)
            } else {
                try await theirs.first { if case .unsubscribed = $0 { () } else { nil } }
                while await second.contact(his)?.item.subscription != RosterItem.Subscription.none {
                    try await theirs.first { if case .changed = $0 { () } else { nil } }
                }
                #expect(await second.contact(his)?.item.name == "Montague")
            }
        }
    }

    @Test(
        "S0-85, S0-86, S1-22, S1-23, S2-31: start, each item once, end; sorted by section and name",
        arguments: LiveServer.allCases)
    func populating(kind: LiveServer) async throws {
        let server = try await kind.server
        let others = [(try await server.newAccount(), "Beta"), (try await server.newAccount(), "alpha")]
        try await server.withTwo { romeo, juliet in
            try await befriend(romeo, juliet, named: "Zoe")
            let roster = try #require(romeo[Roster.self])
            for (account, name) in others { _ = try await roster.add(try JID(account.address), name: name) }
            let events = await roster.events()
            try await roster.fetch()
            var seen: [RosterEvent] = []
            while !seen.contains(.populated) {
                var iterator = events.makeAsyncIterator()
                seen += try #require(await iterator.next())
            }
            // The server confirms the requests before the list, and the contact who is online may change at any time.
            let report = seen.filter { if case .changed = $0 { false } else { true } }
            #expect(report.first == .populating && report.last == .populated)
            #expect(report.filter { if case .item = $0 { true } else { false } }.count == 3)
            #expect(await roster.contacts.map(\.displayName) == ["Zoe", "alpha", "Beta"])
        }
    }

    @Test(
        "S0-84: without automatic loading the roster is requested manually, and requests still arrive",
        arguments: LiveServer.allCases)
    func manualFetch(kind: LiveServer) async throws {
        var policy = RosterPolicy()
        policy.fetchesAutomatically = false
        try await kind.server.withTwo(roster: policy) { romeo, juliet in
            let second = try #require(juliet[Roster.self])
            #expect(await second.isPopulated == false)
            let theirs = await second.events()
            _ = try await romeo[Roster.self]?.add(try #require(await juliet.address))
            try await theirs.first { if case .request = $0 { () } else { nil } }
            try await second.fetch()
            #expect(await second.isPopulated)
        }
    }

    @Test("S2-30: requests can be accepted without asking", arguments: LiveServer.allCases)
    func automaticAcceptance(kind: LiveServer) async throws {
        var policy = RosterPolicy()
        policy.acceptsAllRequests = true
        try await kind.server.withTwo(roster: policy) { romeo, juliet in
            let roster = try #require(romeo[Roster.self])
            let events = await roster.events()
            _ = try await roster.add(try #require(await juliet.address))
            try await events.first { event in
                if case .changed(let contact) = event, contact.item.subscription == .both { () } else { nil }
            }
        }
    }

    @Test("a push from a stranger is refused and changes nothing", arguments: LiveServer.allCases)
    func forgedPush(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let target = try #require(await juliet.address)
            let forged = RosterItem(address: try JID("mallory@xmpp.test"), name: "Mallory")
            let error = await #expect(throws: ClientError.self) {
                _ = try await romeo.request(RosterChange(forged), to: target)
            }
            #expect(error?.stanzaError?.condition == .serviceUnavailable)
            #expect(await juliet[Roster.self]?.allItems.isEmpty == true)
        }
    }
}
