import Foundation
import Glibc
import Hongyan
import ServerFixtures
import Testing

/// The programs of `Examples/Programs` with real servers. They have one import of the library each, and at most as many lines as
/// the same in slixmpp.
@Suite("Programs outside of the package", .timeLimit(.minutes(60)))
struct OutsideProgramTests {
    /// A server, an account, and the environment of a program for it.
    private struct Place {
        let server: any PrivateServer
        let account: Account
        let folder: URL
        var environment: [String: String]

        init(_ server: any PrivateServer, _ name: String = "program") async throws {
            self.server = server
            account = try await server.newAccount(name)
            folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "password")
            try "\(account.password)\n".write(to: file, atomically: true, encoding: .utf8)
            environment = [
                "XMPP_JID": account.address, "XMPP_PASSWORD_FILE": file.path(percentEncoded: false),
                "XMPP_HOST": server.host, "XMPP_PORT": "\(server.port)", "XMPP_CA": server.authorityFile,
            ]
        }

        func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

        func remove() { try? FileManager.default.removeItem(at: folder) }

        func start(_ name: String, _ arguments: String...) async throws -> Program {
            try Program(
                try await ExamplePackage.programs.value.program(name), arguments, environment: environment)
        }

        /// A client of an account of this server, which knows its contacts.
        func client(_ account: Account, _ change: (inout ClientConfiguration) -> Void = { _ in }) throws -> Client {
            var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
            configuration.host = server.host
            configuration.port = server.port
            configuration.trust = .certificateAuthority(server.authorityFile)
            configuration.loginTimeout = .seconds(120)
            configuration.requestTimeout = .seconds(120)
            configuration.add { Roster($0, policy: .acceptAll) }
            configuration.add { ServiceDiscovery($0) }
            change(&configuration)
            return Client(configuration)
        }

        /// Becomes a contact of a running program that accepts everybody.
        func befriend(_ session: Session) async throws {
            let events = session.events(.presences)
            try await session.send(Presence())
            try await session.send(Presence(type: .subscribe, to: try JID(account.address)))
            for await batch in events {
                for case .presence(let presence) in batch where presence.type == .subscribed { return }
            }
        }
    }

    private func texts(_ session: Session, _ count: Int, _ work: () async throws -> Void) async throws -> [String] {
        let events = session.events(.messages)
        try await work()
        var texts: [String] = []
        for await batch in events {
            for case .message(let message) in batch { if let body = message.body { texts.append(body) } }
            if texts.count >= count { break }
        }
        return texts
    }

    @Test("S3-3, S3-8: the package builds outside of the library, without a warning about it")
    func builds() async throws {
        let package = try await ExamplePackage.programs.value
        let warnings = package.output.split(separator: "\n").filter {
            $0.contains(#/\/Sources\/[^:]+:\d+:\d+: warning:/#)
        }
        #expect(warnings.isEmpty, "\(warnings.joined(separator: "\n"))")
        // Nothing is left to do, and nothing of a guarded dependency was fetched.
        try await package.swift(["build", "--build-tests"])
        #expect(!FileManager.default.fileExists(atPath: package.folder + "/Package.resolved"))
        #expect(!FileManager.default.fileExists(atPath: package.products + "/checkouts/swift-log"))
    }

    @Test(
        "programs are at most as long as the same in slixmpp",
        arguments: [
            ("Echo", 41), ("RoomBot", 63), ("Commands", 59), ("Feed", 205), ("DiceBot", 71), ("Dice", 67),
            ("Picture", 118),
            ("History", 128), ("Service", 45), ("Swarm", 75), ("Settings", 38), ("Survivor", 43), ("Moods", 67),
            ("MoodBot", 71),
        ])
    func length(name: String, limit: Int) throws {
        let folder = "Examples/Programs/Sources/\(name)/"
        let file = try (try? ProjectFile(folder + "main.swift")) ?? ProjectFile(folder + "\(name).swift")
        let code = file.lines.filter { !$0.trimmingCharacters(in: .whitespaces).isEmpty && !$0.contains(#/^\s*///#) }
        #expect(code.count <= limit)
        let imports = file.lines.filter { $0.hasPrefix("import ") }
        #expect(imports.contains("import Hongyan"))
        #expect(Set(imports).isSubset(of: ["import Hongyan", "import Foundation", "import Dice", "import Moods"]))
    }

    @Test("the unit test of a bot runs without a server")
    func unitTest() async throws {
        let output = try await ExamplePackage.programs.value.swift(["test", "--skip-build", "--disable-xctest"])
        #expect(output.contains("1 test") && output.contains("passed"), "\(output)")
    }

    @Test(
        "Echo accepts everybody, says what it is told, and ends with status 0 after a signal",
        arguments: ServerKind.allCases)
    func echo(kind: ServerKind) async throws {
        let place = try await Place(try await kind.shared())
        defer { place.remove() }
        let bot = try await place.start("Echo")
        try #require(try await bot.writes("ready\n"), "\(bot.output)")
        try await place.client(try await place.server.newAccount()).run { session in
            try await place.befriend(session)
            let answers = try await texts(session, 1) {
                try await session.send(.chat(to: try JID(place.account.address), body: "Honk! 嘎！"))
            }
            #expect(answers == ["Honk! 嘎！"])
        }
        bot.interrupt()
        #expect(await bot.end() == 0, "\(bot.output)")
    }

    @Test("a program says in one line what is wrong with its settings, and its status tells which kind it is")
    func failures() async throws {
        var place = try await Place(try await PrivateProsody.shared)
        defer { place.remove() }
        try "wrong\n".write(toFile: place.path("password"), atomically: true, encoding: .utf8)
        let refused = try await place.start("Echo")
        #expect(await refused.end() == 3, "\(refused.output)")
        #expect(refused.output.hasPrefix("Echo: ") && refused.output.split(separator: "\n").count == 1)
        place.environment["XMPP_CA"] = "/nonexistent"
        let unreadable = try await place.start("Echo")
        #expect(await unreadable.end() == 2 && unreadable.output.contains("/nonexistent"), "\(unreadable.output)")
        place.environment["XMPP_JID"] = "@"
        let invalid = try await place.start("Echo")
        #expect(await invalid.end() == 2 && invalid.output.hasPrefix("Echo: XMPP_JID"), "\(invalid.output)")
    }

    @Test("RoomBot tells the time, comes back after a kick, and stays away after a ban", arguments: ServerKind.allCases)
    func roomBot(kind: ServerKind) async throws {
        let place = try await Place(try await kind.shared())
        defer { place.remove() }
        let address = try JID("clock-\(UUID().uuidString.prefix(8).lowercased())@\(place.server.conferenceDomain)")
        let owner = try place.client(try await place.server.newAccount()) { $0.add { GroupChat($0) } }
        try await owner.run { session in
            let chat = try #require(session[GroupChat.self])
            let room = try await chat.enter(address, nickname: "owner")
            let notices = chat.roomNotices()
            let bot = try await place.start("RoomBot", address.description)
            #expect(try await bot.writes("inside"), "\(bot.output)")
            try await room.send("!time")
            for await notice in notices {
                if case .message(let message) = notice.event, message.body?.hasPrefix("It is ") == true { break }
            }
            try await room.kick("clock", reason: "too loud")
            #expect(try await bot.writes("kicked by owner"), "\(bot.output)")
            #expect(try await bot.writes("back"), "\(bot.output)")
            try await room.ban(try JID(place.account.address), reason: "still too loud")
            #expect(await bot.end() == 0, "\(bot.output)")
            #expect(bot.output.contains("not welcome: still too loud"), "\(bot.output)")
        }
    }

    @Test("Commands are listed, filled in and executed")
    func commands() async throws {
        let place = try await Place(try await PrivateProsody.shared)
        defer { place.remove() }
        let bot = try await place.start("Commands")
        #expect(try await bot.writes("ready as "), "\(bot.output)")
        let address = try JID(String(try #require(bot.output.firstMatch(of: /ready as (\S+)/)).output.1))
        let person = try place.client(try await place.server.newAccount()) { $0.add { AdHocCommands($0) } }
        try await person.run { session in
            try await place.befriend(session)
            let commands = try #require(session[AdHocCommands.self])
            let list = try await session[ServiceDiscovery.self]?.items(of: address, node: AdHocCommands.listNode)
            #expect(list?.items.compactMap(\.node) == ["uptime", "greet"])
            let question = try await commands.start("greet", at: address)
            let form = try #require(question.form)
            let answers = form.answered(with: ["name": ["Juliet"], "language": ["zh"]])
            let end = try await commands.perform(.complete, answering: answers, in: question)
            #expect(end.isFinished && end.notes.map(\.text) == ["你好，Juliet！"])
        }
    }

    /// On Prosody only administrators create nodes at a service.
    @Test("Feed: what one writes the other reads", arguments: ServerKind.allCases.filter { !$0.isProsody })
    func feed(kind: ServerKind) async throws {
        let place = try await Place(try await kind.shared())
        defer { place.remove() }
        let service = "pubsub.\(place.server.domain)"
        let node = "news-\(UUID().uuidString.prefix(8))"
        let first = try await place.start("Feed", "write", service, node, "before")
        #expect(await first.end() == 0, "\(first.output)")
        var other = place
        let reader = try await Place(place.server, "reader")
        other.environment = reader.environment
        let reading = try await other.start("Feed", "read", service, node)
        #expect(try await reading.writes("subscribed"), "\(reading.output)")
        let second = try await place.start("Feed", "write", service, node, "Honk! 嘎！")
        #expect(await second.end() == 0, "\(second.output)")
        #expect(try await reading.writes("Honk! 嘎！"), "\(reading.output)")
        reading.interrupt()
        #expect(await reading.end() == 0)
        reader.remove()
    }

    @Test("S3-3, S3-8: extensions of other packages: a request and its response, and a payload of messages")
    func extensions() async throws {
        let place = try await Place(try await PrivateProsody.shared)
        let other = try await Place(place.server, "asker")
        defer {
            place.remove()
            other.remove()
        }
        let bot = try await place.start("DiceBot")
        #expect(try await bot.writes("ready as "), "\(bot.output)")
        let address = String(try #require(bot.output.firstMatch(of: /ready as (\S+)/)).output.1)
        try await other.client(other.account).run { session in try await place.befriend(session) }
        let asker = try await other.start("DiceBot", address)
        #expect(await asker.end() == 0, "\(asker.output)")
        let values = asker.output.split(separator: "\n").compactMap { Int($0) }
        #expect(values.count == 3 && values.allSatisfy((1...6).contains), "\(asker.output)")
        #expect(try await bot.writes("\(other.account.address) got \(values.last ?? 0)"), "\(bot.output)")
        bot.interrupt()
        #expect(await bot.end() == 0)

        let moods = try await place.start("MoodBot")
        try #require(try await moods.writes("ready\n"), "\(moods.output)")
        let happy = try await other.start("MoodBot", place.account.address, "glücklich 高兴")
        #expect(await happy.end() == 0, "\(happy.output)")
        #expect(try await moods.writes("\(other.account.address) is glücklich 高兴"), "\(moods.output)")
        moods.interrupt()
        #expect(await moods.end() == 0)
    }

    @Test("Picture uploads a file with progress, and the receiver gets it", arguments: ServerKind.allCases)
    func picture(kind: ServerKind) async throws {
        let place = try await Place(try await kind.shared())
        defer { place.remove() }
        let content = (0..<300_000).map { UInt8($0 % 251) }
        let file = place.path("goose.png")
        try Data(content).write(to: URL(filePath: file))
        let person = try place.client(try await place.server.newAccount()) { $0.add { FileSharing($0) } }
        try await person.run { session in
            let events = session.events(.messages)
            try await session.send(Presence())
            try await session.ping()
            let receiver = try #require(await session.address?.bare)
            let program = try await place.start("Picture", receiver.description, file)
            // Without the file no message comes.
            try #require(await program.end() == 0, "\(program.output)")
            #expect(program.output.contains("300000 of 300000 bytes"), "\(program.output)")
            var offer: FileOffer?
            for await batch in events {
                for case .message(let message) in batch { offer = try offer ?? FileOffer(in: message) }
                if offer != nil { break }
            }
            let received = try await session[FileSharing.self]?.fetch(
                try #require(offer), into: place.path("received"))
            #expect(received?.byteCount == 300_000 && received?.isVerified == true)
            #expect(offer?.metadata.mediaType == "image/png" && offer?.metadata.fileName == "goose.png")
        }
    }

    @Test("History prints the last messages from the archive", arguments: ServerKind.allCases)
    func history(kind: ServerKind) async throws {
        let place = try await Place(try await kind.shared())
        defer { place.remove() }
        let person = try await place.server.newAccount()
        try await place.client(person).run { session in
            for number in 1...5 {
                try await session.send(.chat(to: try JID(place.account.address), body: "message \(number)"))
            }
            try await session.ping()
        }
        let program = try await place.start("History", person.address, "2")
        #expect(await program.end() == 0, "\(program.output)")
        let lines = program.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix("\(person.username): message 4"), "\(program.output)")
        #expect(lines.last?.hasSuffix("message 5") == true && lines.last?.first == "2")
    }

    @Test("Service, a component, speaks from each of its addresses", arguments: ServerKind.allCases)
    func service(kind: ServerKind) async throws {
        var place = try await Place(try await kind.shared())
        defer { place.remove() }
        try "\(place.server.componentSecret)\n".write(toFile: place.path("secret"), atomically: true, encoding: .utf8)
        place.environment = [
            "XMPP_COMPONENT": place.server.componentDomain, "XMPP_SECRET_FILE": place.path("secret"),
            "XMPP_COMPONENT_PORT": "\(place.server.componentPort)",
        ]
        let program = try await place.start("Service")
        try #require(try await program.writes("ready\n"), "\(program.output)")
        let domain = place.server.componentDomain
        try await place.client(place.account).run { session in
            try await session.send(Presence())
            let answers = try await texts(session, 2) {
                for name in ["goose", "swan"] {
                    try await session.send(.chat(to: try JID("\(name)@\(domain)"), body: "honk"))
                }
            }
            #expect(answers == ["goose: HONK", "swan: HONK"])
        }
        program.interrupt()
        #expect(await program.end() == 0, "\(program.output)")
    }

    @Test("Swarm: a thousand sessions in one process")
    func swarm() async throws {
        let place = try await Place(try await PrivateProsody.shared)
        defer { place.remove() }
        let prefix = "swarm-\(UUID().uuidString.prefix(6).lowercased())-"
        let count = 1000
        for number in 1...count {
            try await place.server.register("\(prefix)\(number)", password: place.account.password)
        }
        let path = try await ExamplePackage.programs.value.program("Swarm")
        let program = try Program(
            "sh", ["-c", "ulimit -n 4096; exec \"$0\" \"$@\"", path, prefix, "\(count)"], environment: place.environment
        )
        #expect(await program.end() == 0, "\(program.output.suffix(2000))")
        #expect(program.output.contains("\(count) sessions"), "\(program.output.suffix(2000))")
    }

    @Test("Settings: a client certificate, a proxy for the session and for uploads, and a log without secrets")
    func settings() async throws {
        let server = try await PrivateEjabberd.shared(ServerOptions { $0.asksForClientCertificates = true })
        var place = try await Place(server)
        defer { place.remove() }
        let proxy = try PrivateProxy()
        let (certificate, key) = try server.certificates.issueClient(place.account.address)
        place.environment["CERTIFICATE"] = certificate
        place.environment["KEY"] = key
        place.environment["XMPP_PROXY"] = "socks5h://127.0.0.1:\(proxy.port)"
        let program = try await place.start("Settings", place.path("password"))
        #expect(await program.end() == 0, "\(program.output.suffix(3000))")
        #expect(program.output.contains("logging in with EXTERNAL"))
        #expect(program.output.contains("wire: C: <auth"), "\(program.output.prefix(3000))")
        #expect(program.output.contains("online in "))
        // The content of the file that was uploaded is the password, which is nowhere in the log.
        #expect(!program.output.contains(place.account.password))
        #expect(proxy.targets.contains("socks5 \(server.host):\(server.port)"))
        #expect(proxy.targets.contains { $0.hasSuffix(":\(server.httpsPort)") }, "\(proxy.targets)")
    }

    // It takes seconds. An answer that does not come fails the test and does not stop the whole run for an hour.
    @Test("Survivor answers everything once, while it and the server are killed", .timeLimit(.minutes(10)))
    func survivor() async throws {
        let server = try await PrivateProsody()
        var place = try await Place(server)
        defer { place.remove() }
        let person = try await server.newAccount()
        let bot = try JID(place.account.address)
        let journal = place.path("journal")
        place.environment["XMPP_LOG"] = "failures"
        func start() async throws -> Program {
            let program = try await place.start("Survivor", journal)
            try #require(try await program.writes("ready\n"), "\(program.output)")
            return program
        }
        var program = try await start()
        var expected: Set<String> = []
        var answers: [String: Int] = [:]
        func collect(_ events: SessionEvents) async {
            for await batch in events {
                for case .message(let message) in batch where message.body?.hasPrefix("answer") == true {
                    let origin = message.payloads.first { $0.isNamed(OriginIdentifier.name) }?["id"] ?? ""
                    answers["\(message.body ?? "")|\(origin)", default: 0] += 1
                }
                if Set(answers.keys.map { String($0.prefix { $0 != "|" }) }).isSuperset(of: expected) { return }
            }
        }
        func ask(_ range: ClosedRange<Int>, _ session: Session) async throws {
            for number in range {
                expected.insert("answer to \(number)")
                try await session.send(.chat(to: bot, body: "\(number)")).reached(.acknowledged)
            }
        }
        try await place.client(person).run { session in
            let events = session.events(.messages)
            try await session.send(Presence())
            // Killed amid messages, twice; it resumes its session.
            try await ask(1...20, session)
            await program.killAtOnce()
            try await ask(21...40, session)
            program = try await start()
            await program.killAtOnce()
            program = try await start()
            await collect(events)
            await program.killAtOnce()
        }
        // The server dies while the bot is away, and with it the session; another message waits in the archive only.
        try await server.restart()
        try await place.client(person).run { session in
            try await session.send(Presence())
            // Another device of the bot gets it, so the server does not keep it for the bot.
            try await place.client(place.account).run { phone in
                try await phone.send(Presence())
                try await phone.ping()
                try await ask(41...43, session)
                try await phone.ping()
            }
            let events = session.events(.messages)
            program = try await start()
            await collect(events)
            try await ask(44...44, session)
            await collect(events)
        }
        #expect(Set(answers.keys.map { String($0.prefix { $0 != "|" }) }) == expected)
        // A message is never answered under two ids.
        #expect(answers.count == expected.count, "\(answers)")
        program.interrupt()
        #expect(await program.end() == 0, "\(program.output)")
        await server.stop()
    }
}
