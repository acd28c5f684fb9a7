import Profiles
import PublishSubscribe
import Roster
import ServerFixtures
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Mood, activity, music, location, moves and directories", .timeLimit(.minutes(10)))
struct UserStateTests {
    @Test("the examples of the specifications (XEP-0107, XEP-0108, XEP-0118, XEP-0080)")
    func examples() throws {
        try checkRoundTrip(
            UserMood.self,
            "<mood xmlns='http://jabber.org/protocol/mood'><annoyed/><text>curse my nurse!</text></mood>")
        try checkRoundTrip(UserMood.self, "<mood xmlns='http://jabber.org/protocol/mood'><in_love/></mood>")
        try checkRoundTrip(
            UserActivity.self,
            "<activity xmlns='http://jabber.org/protocol/activity'><relaxing><partying/></relaxing>"
                + "<text>My nurse&apos;s birthday!</text></activity>")
        try checkRoundTrip(
            UserActivity.self, "<activity xmlns='http://jabber.org/protocol/activity'><inactive/></activity>")
        try checkRoundTrip(
            UserTune.self,
            "<tune xmlns='http://jabber.org/protocol/tune'><artist>Yes</artist><length>686</length><rating>8</rating>"
                + "<source>Yessongs</source><title>Heart of the Sunrise</title><track>3</track>"
                + "<uri>http://www.yesworld.com/lyrics/Fragile.html#9</uri></tune>")
        try checkRoundTrip(
            UserLocation.self,
            "<geoloc xmlns='http://jabber.org/protocol/geoloc'><accuracy>20.0</accuracy><lat>45.44</lat><lon>12.33</lon>"
                + "<country>Italy</country><locality>Venice</locality></geoloc>")
    }

    @Test("impossible values read as none, and long texts are cut")
    func bad() throws {
        let location = try UserLocation(
            from: XMLElement(
                parsing:
                    "<geoloc xmlns='http://jabber.org/protocol/geoloc'><lat>91</lat><lon>nan</lon><accuracy>-1</accuracy>"
                    + "<text>\(String(repeating: "长", count: 5000))</text></geoloc>"))
        #expect(location.latitude == nil && location.longitude == nil && location.accuracy == nil)
        #expect(location.texts["text"]?.count == 1024)
        let tune = try UserTune(
            from: XMLElement(
                parsing:
                    "<tune xmlns='http://jabber.org/protocol/tune'><length>99999</length><rating>11</rating></tune>"))
        #expect(tune == UserTune())
        for text in [
            "<mood xmlns='http://jabber.org/protocol/mood'/>",
            "<mood xmlns='http://jabber.org/protocol/mood'><text>a</text></mood>",
        ] {
            #expect(throws: XMLDecodingError.self) { try UserMood(from: XMLElement(parsing: text)) }
        }
        let long = String(repeating: "x", count: 500)
        let mood = try UserMood(
            from: XMLElement(parsing: "<mood xmlns='http://jabber.org/protocol/mood'><\(long)/></mood>"))
        #expect(mood.value == "undefined")
    }

    @Test("a mood reaches the other device, and its end too", arguments: ServerKind.allCases)
    func live(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let account = try await server.newAccount("romeo")
        var configuration = try server.configuration(account)
        configuration.add { UserStateEvents($0, interests: [.mood, .tune]) }
        let (phone, desk) = (Client(configuration), Client(configuration))
        try await phone.run { first in
            try await first.send(Presence())
            try await desk.run { second in
                let states = try #require(second[UserStateEvents.self])
                let changes = states.changes()
                var iterator = changes.makeAsyncIterator()
                try await second.send(Presence())
                try await second.ping()
                let own = try #require(await second.address).bare
                let mine = try #require(first[UserStateEvents.self])
                try await withDeadline {
                    // Servers send nothing before they know what the device is interested in.
                    while await states.state(.mood, of: own) == nil {
                        try await mine.publish(.mood(UserMood("happy", text: "春天")))
                        try await Task.sleep(for: .milliseconds(100))
                    }
                }
                let change = await iterator.next()
                #expect(change?.account == own)
                #expect(change?.state == .mood(UserMood("happy", text: "春天")))
                try await mine.clear(.mood)
                let end = await iterator.next()
                #expect(end?.kind == .mood)
                #expect(end?.state == nil)
            }
        }
    }

    // MARK: Moves

    @Test("a move on the wire (XEP-0283)")
    func move() throws {
        try checkRoundTrip(
            AccountMove.self, "<moved xmlns='urn:xmpp:moved:1'><new-jid>juliet@capulet.example</new-jid></moved>")
        try checkRoundTrip(
            AccountMove.self, "<moved xmlns='urn:xmpp:moved:1'><old-jid>juliet@im.example.net</old-jid></moved>")
        for content in ["", "<new-jid>@</new-jid>", "<new-jid>a@b.c/d</new-jid>", "<old-jid>example.net</old-jid>"] {
            let element = try XMLElement(parsing: "<moved xmlns='urn:xmpp:moved:1'>\(content)</moved>")
            #expect(throws: XMLDecodingError.self) { try AccountMove(from: element) }
        }
    }

    @Test("the old account confirms its move, and no other", arguments: ServerKind.allCases)
    func confirmedMove(kind: ServerKind) async throws {
        try await kind.shared().withTwo { old, contact in
            let (mine, theirs) = (try #require(old[Profiles.self]), try #require(contact[Profiles.self]))
            let address = try #require(await old.address).bare
            let new = try JID("new@elsewhere.example")
            #expect(await !theirs.confirmsMove(from: address, to: new))
            try await mine.publishMove(to: new)
            #expect(await theirs.confirmsMove(from: address, to: new))
            #expect(await !theirs.confirmsMove(from: address, to: try JID("mallory@elsewhere.example")))
        }
    }

    @Test(
        "the new account asks the contacts of the old one, whose address it names (XEP-0283 §4.2)",
        arguments: ServerKind.allCases)
    func announcedMove(kind: ServerKind) async throws {
        try await kind.shared().withTwo { new, contact in
            let requests = contact.events(.presences)
            let address = try #require(await contact.address).bare
            let (mine, old) = (try #require(new[Profiles.self]), try JID("old@elsewhere.example"))
            try await mine.announceMove(from: old, to: [address])
            let request = try await requests.first { $0.type == .subscribe }
            let own = await new.address?.bare
            #expect(request.from?.bare == own)
            #expect(try request.payload(AccountMove.self) == .from(old))
        }
    }

    // MARK: Directories

    @Test("a directory with fields, and one with a form (XEP-0055)")
    func directories() throws {
        let questions = try DirectorySearch(
            from: XMLElement(
                parsing: "<query xmlns='jabber:iq:search'><instructions>Fill in one or more fields</instructions>"
                    + "<first/><last/><nick/><email/></query>"))
        #expect(questions.fields.keys.sorted() == ["email", "first", "last", "nick"])
        let result = try DirectorySearch(
            from: XMLElement(
                parsing: "<query xmlns='jabber:iq:search'><item jid='juliet@capulet.com'><first>Juliet</first>"
                    + "<last>Capulet</last><nick>JuliC</nick><email>juliet@shakespeare.lit</email></item><item jid='@'/></query>"
            ))
        #expect(result.entries.map(\.address) == [try JID("juliet@capulet.com")])
        #expect(result.entries.first?.fields["nick"] == "JuliC")
        let table = try DirectorySearch(
            from: XMLElement(
                parsing: "<query xmlns='jabber:iq:search'><x xmlns='jabber:x:data' type='result'>"
                    + "<reported><field var='first' label='Given Name'/><field var='jid' label='Jabber ID'/></reported>"
                    + "<item><field var='first'><value>Benvolio</value></field>"
                    + "<field var='jid'><value>benvolio@montague.net</value></field></item>"
                    + "<item><field var='first'><value>nobody</value></field></item></x></query>"))
        #expect(table.entries == [.init(address: try JID("benvolio@montague.net"), fields: ["first": "Benvolio"])])
        try checkRoundTrip(DirectorySearchRequest.self, "<query xmlns='jabber:iq:search'/>")
        try checkRoundTrip(
            DirectorySearchSubmission.self, "<query xmlns='jabber:iq:search'><last>Capulet</last></query>")
    }

    @Test("somebody is found in the directory of a server", arguments: [ServerKind.ejabberd2301, .ejabberd2412])
    func directory(kind: ServerKind) async throws {
        let options = ServerOptions {
            $0.moduleOptions = ["mod_vcard": "{ search: true, host: \"vjud.@HOST@\", allow_return_all: true }"]
        }
        try await kind.shared(options).withTwo { romeo, juliet in
            let (mine, theirs) = (try #require(romeo[Profiles.self]), try #require(juliet[Profiles.self]))
            let account = try #require(await romeo.address).bare
            let nickname = "romeo\(UInt32.random(in: 0...UInt32.max))"
            try await mine.publish(LegacyVCard(fullName: "Romeo Montague", nickname: nickname))
            let directory = try JID("vjud.xmpp.test")
            let form = try await theirs.searchForm(of: directory)
            #expect(form.form != nil || !form.fields.isEmpty)
            let field = form.form.map { $0["nick"] == nil ? "nickname" : "nick" } ?? "nick"
            try await withDeadline {
                while try await !theirs.search(directory, for: [field: nickname]).contains(where: {
                    $0.address == account
                }) {
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            #expect(try await theirs.search(directory, for: [field: "nobody-\(nickname)"]).isEmpty)
        }
    }
}
