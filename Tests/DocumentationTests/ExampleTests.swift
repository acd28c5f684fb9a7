import Foundation
import Glibc
import Hongyan
import ServerFixtures
import Testing

@Suite("Examples with a real server", .timeLimit(.minutes(20)))
struct ExampleTests {
    /// A server with an account, and the settings of an example for it.
    private struct Place {
        let server: PrivateProsody
        let account: Account
        let passwordFile: String
        let environment: [String: String]

        init() async throws {
            server = try await PrivateProsody.shared
            account = try await server.newAccount("example")
            let file = FileManager.default.temporaryDirectory.appending(path: "password-\(UUID().uuidString)")
            try "\(account.password)\n".write(to: file, atomically: true, encoding: .utf8)
            passwordFile = file.path(percentEncoded: false)
            environment = [
                "XMPP_HOST": server.host, "XMPP_PORT": "\(server.port)", "XMPP_CA": server.authorityFile,
            ]
        }

        func remove() { try? FileManager.default.removeItem(atPath: passwordFile) }

        /// - Parameter address: the account that it signs in with; `nil` for the existing one.
        func start(
            _ example: String, as address: String? = nil, before words: [String] = [], _ arguments: String...
        ) throws -> Program {
            try Program(
                ExampleTests.programs.appending(path: example).path(percentEncoded: false),
                words + [address ?? account.address, passwordFile] + arguments, environment: environment)
        }

        func client(_ account: Account) throws -> Client {
            var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
            configuration.host = server.host
            configuration.port = server.port
            configuration.trust = .certificateAuthority(server.authorityFile)
            // The speed of a machine that runs other tests at the same time is not tested.
            configuration.loginTimeout = .seconds(120)
            // A client that has not requested the roster is not notified that a request was accepted (RFC 6121 §2.2).
            configuration.add { Roster($0) }
            return Client(configuration)
        }
    }

    /// Programs are built beside the tests.
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    @Test(
        "S0-44: the echo bot accepts contact requests, echoes messages, and closes its session when it is interrupted")
    func echo() async throws {
        let place = try await Place()
        defer { place.remove() }
        let person = try await place.server.newAccount("person")
        let bot = try place.start("EchoBot")
        try #require(try await bot.writes("ready\n"), "\(bot.output)")
        try await place.client(person).run { session in
            let events = session.events([.messages, .presences])
            try await session.send(Presence())
            try await session.send(Presence(type: .subscribe, to: try JID(place.account.address)))
            try await session.send(.chat(to: try JID(place.account.address), body: "Honk! 嘎！"))
            var isAccepted = false
            var answer: String?
            for await batch in events {
                for event in batch {
                    if case .presence(let presence) = event, presence.type == .subscribed { isAccepted = true }
                    if case .message(let message) = event, let body = message.body { answer = body }
                }
                if isAccepted, answer != nil { break }
            }
            #expect(answer == "Honk! 嘎！")
        }
        bot.interrupt()
        #expect(await bot.end() == 0, "\(bot.output)")
    }

    @Test("S0-90: a message is sent from the command line and arrives")
    func send() async throws {
        let place = try await Place()
        defer { place.remove() }
        let person = try await place.server.newAccount("person")
        try await place.client(person).run { session in
            let events = session.events(.messages)
            try await session.send(Presence())
            try await session.ping()
            let program = try place.start("SendMessage", person.address, "你好", "<goose>")
            #expect(await program.end() == 0, "\(program.output)")
            var body: String?
            for await batch in events {
                for case .message(let message) in batch { body = message.body }
                if body != nil { break }
            }
            #expect(body == "你好 <goose>")
        }
    }

    @Test(
        "two people register, become contacts, and exchange text, a picture and voice with the program of the tutorial")
    func chatManager() async throws {
        let place = try await Place()
        defer { place.remove() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "chat-manager-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tag = UUID().uuidString.lowercased().prefix(8)
        let juliet = try Typist("juliet-\(tag)", at: place, in: folder)
        let romeo = try Typist("romeo-\(tag)", at: place, in: folder)
        for person in [juliet, romeo] { try await person.sees("Online as") }

        try juliet.type("/nonsense")
        try await juliet.sees("? /nonsense")
        try juliet.type("nobody reads this")
        try await juliet.sees("Open a conversation first")
        try juliet.type("/add \(romeo.name)")
        try await romeo.sees("\(juliet.address) wants to add you")
        try romeo.type("/accept \(juliet.name)")
        try await juliet.sees("\(romeo.address) has accepted you.")
        try await juliet.sees("\(romeo.name) is online.")
        try juliet.type("/contacts")
        try await juliet.sees("online (1)\n  \(romeo.name)")

        try juliet.type("/chat \(romeo.name)")
        try juliet.type("Honk! 嘎！")
        try await juliet.sees("me: Honk! 嘎！")
        try await romeo.sees("\(juliet.name): Honk! 嘎！")
        for (command, name, content) in [
            ("picture", "goose.png", Data([0x89] + "PNG\r\n\u{1A}\n not really".utf8)),
            ("voice", "honk.opus", Data("OggS not really".utf8)),
        ] {
            let file = folder.appending(path: name)
            try content.write(to: file)
            try juliet.type("/\(command) \(file.path(percentEncoded: false))")
            try await juliet.sees("me: \(command) \(name)")
            try await romeo.sees("\(juliet.name): \(content.count) bytes in ")
            let received = try FileManager.default.contentsOfDirectory(atPath: romeo.received)
            #expect(received.contains { FileManager.default.contents(atPath: romeo.received + "/" + $0) == content })
        }

        // What another device of Juliet sends is shown here, too; no line of it looks like one of somebody else.
        try await place.client(
            Account(username: juliet.name, password: place.account.password, domain: place.server.domain)
        ).run { phone in
            let text = "from the phone\n\(romeo.name): I said nothing"
            try await phone.send(.chat(to: try JID(romeo.address), body: text))
            try await phone.ping()
        }
        try await juliet.sees("me: from the phone\n    \(romeo.name): I said nothing\n")
        try await romeo.sees("\(juliet.name): from the phone\n    \(romeo.name): I said nothing\n")

        // The history comes from the server: with the time, to both.
        try romeo.type("/chat \(juliet.name)")
        try await romeo.sees("Z \(juliet.name): Honk! 嘎！")
        try juliet.type("/picture /nonexistent")
        try await juliet.sees("! ")
        for person in [juliet, romeo] {
            try person.type("/quit")
            #expect(await person.program.end() == 0, "\(person.program.output)")
        }
    }

    /// Somebody with a new account, who types into ChatManager.
    private struct Typist {
        let name: String
        let address: String
        let received: String
        let program: Program
        private let keyboard: FileHandle

        init(_ name: String, at place: Place, in folder: URL) throws {
            self.name = name
            address = "\(name)@\(place.server.domain)"
            received = folder.appending(path: name).path(percentEncoded: false)
            let pipe = folder.appending(path: name + "-keyboard").path(percentEncoded: false)
            guard mkfifo(pipe, 0o600) == 0, let keyboard = FileHandle(forUpdatingAtPath: pipe) else {
                throw CocoaError(.fileWriteUnknown)
            }
            self.keyboard = keyboard
            program = try Program(
                ExampleTests.programs.appending(path: "ChatManager").path(percentEncoded: false),
                [address, place.passwordFile, "--register"],
                environment: place.environment.merging(["RECEIVED": received]) { $1 }, input: pipe)
        }

        func type(_ line: String) throws { try keyboard.write(contentsOf: Data((line + "\n").utf8)) }

        func sees(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let isThere = try await program.writes(text)
            try #require(isThere, "\(program.output)", sourceLocation: sourceLocation)
        }
    }

    @Test("S1-2: the scripted conversation with the companion works in both directions, byte for byte, twice")
    func companion() async throws {
        let place = try await Place()
        defer { place.remove() }
        let goose = try place.start("goose")
        try #require(try await goose.writes("ready\n"), "\(goose.output)")
        // The other account does not exist yet: it is registered.
        let person = "person-\(UUID().uuidString.lowercased())@\(place.server.domain)"
        for _ in 1...2 {
            let conversation = try place.start("goose", as: person, before: ["converse", place.account.address])
            #expect(await conversation.end() == 0, "\(conversation.output)\(goose.output)")
            #expect(conversation.output.contains("All 8 items arrived exactly as they were sent."))
        }
        goose.interrupt()
        #expect(await goose.end() == 0, "\(goose.output)")
    }

    @Test("every one of the thousand addresses of the gateway can be found, added and talked to")
    func gateway() async throws {
        // A component is connected once, and another test serves the usual domain of the server.
        let component = "gateway.test"
        let server = try await PrivateProsody.shared(ServerOptions { $0.componentDomains = [component] })
        let person = try await server.newAccount("person")
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try "\(server.componentSecret)\n".write(to: file, atomically: true, encoding: .utf8)
        func start() throws -> Program {
            try Program(
                Self.programs.appending(path: "Gateway").path(percentEncoded: false),
                [component, file.path(percentEncoded: false)],
                environment: ["XMPP_COMPONENT_PORT": "\(server.componentPort)"])
        }
        let gateway = try start()
        try #require(try await gateway.writes("ready\n"), "\(gateway.output)")
        var configuration = ClientConfiguration(address: try JID(person.address), password: person.password)
        configuration.host = server.host
        configuration.port = server.port
        configuration.trust = .certificateAuthority(server.authorityFile)
        configuration.loginTimeout = .seconds(120)
        configuration.requestTimeout = .seconds(120)
        configuration.add { Roster($0) }
        configuration.add { ServiceDiscovery($0) }
        let last = try JID("goose1000@\(component)")
        try await Client(configuration).run { session in
            let discovery = try #require(session[ServiceDiscovery.self])
            let domain = try JID(component)
            #expect(try await discovery.information(of: domain).hasIdentity(category: "gateway", type: "x-geese"))
            let geese = try await discovery.items(of: domain).items.map(\.address)
            #expect(geese.count == 1000)
            #expect(try await discovery.information(of: last).hasIdentity(category: "client", type: "bot"))

            let events = session.events([.messages, .presences])
            try await session.send(Presence())
            _ = try await session[Roster.self]?.add(last)
            let nobody = try JID("swan@\(component)")
            try await session.send(contentsOf: (geese + [nobody]).map { .chat(to: $0, body: "Honk! 嘎！") })
            var answers: [JID: String] = [:]
            var (isPresent, isRefused) = (false, false)
            for await batch in events {
                for event in batch {
                    if case .message(let message) = event, let sender = message.from {
                        if message.isError { isRefused = sender == nobody } else { answers[sender] = message.body }
                    }
                    if case .presence(let presence) = event, presence.from == last, presence.type == .available {
                        isPresent = true
                    }
                }
                if answers.count == geese.count, isPresent, isRefused { break }
            }
            #expect(answers == Dictionary(uniqueKeysWithValues: geese.map { ($0, "\($0.local ?? ""): Honk! 嘎！") }))

            let second = try start()
            #expect(await second.end() == 4, "\(second.output)")
            #expect(second.output.contains("already"))

            gateway.interrupt()
            for await batch in events {
                let isGone = batch.contains {
                    if case .presence(let presence) = $0 {
                        presence.from == last && presence.type == .unavailable
                    } else {
                        false
                    }
                }
                if isGone { break }
            }
        }
        #expect(await gateway.end() == 0, "\(gateway.output)")
    }

    @Test("a wrong password ends an example with status 3 and a message")
    func wrongPassword() async throws {
        let place = try await Place()
        defer { place.remove() }
        try "wrong\n".write(toFile: place.passwordFile, atomically: true, encoding: .utf8)
        let program = try place.start("RosterDump")
        #expect(await program.end() == 3, "\(program.output)")
        #expect(program.output.hasPrefix("RosterDump: "))
    }

    @Test("S0-83: the roster is requested manually and printed")
    func roster() async throws {
        let place = try await Place()
        defer { place.remove() }
        try await place.client(place.account).run { session in
            _ = try await session.send(Presence(type: .subscribe, to: try JID("goose@\(place.server.domain)")))
            try await session.ping()
        }
        let program = try place.start("RosterDump")
        #expect(await program.end() == 0, "\(program.output)")
        #expect(program.output.contains("goose@\(place.server.domain)\t\tnone\t"))
    }
}
