import Foundation
import Hongyan
import ServerFixtures
import Testing

@Suite("Examples with a real server", .timeLimit(.minutes(20)))
struct ExampleTests {
    /// A server with an account, and what an example must be told about them.
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

        /// - Parameter address: the account that it signs in with; `nil` for the one that is there.
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
            // Who has not asked for the contact list is not told that a request was accepted (RFC 6121 §2.2).
            configuration.add { Roster($0) }
            return Client(configuration)
        }
    }

    /// Programs are built beside the tests.
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    @Test("S0-44: the echo bot befriends who asks, echoes, and says goodbye when it is interrupted")
    func echo() async throws {
        let place = try await Place()
        defer { place.remove() }
        let person = try await place.server.newAccount("person")
        let bot = try place.start("EchoBot")
        #expect(try await bot.writes("ready"), "\(bot.output)")
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

    @Test("S1-2: the scripted conversation with the companion goes both ways, byte for byte, twice")
    func companion() async throws {
        let place = try await Place()
        defer { place.remove() }
        let goose = try place.start("goose")
        #expect(try await goose.writes("ready"), "\(goose.output)")
        // Nobody knows the other account yet: it registers itself.
        let person = "person-\(UUID().uuidString.lowercased())@\(place.server.domain)"
        for _ in 1...2 {
            let conversation = try place.start("goose", as: person, before: ["converse", place.account.address])
            #expect(await conversation.end() == 0, "\(conversation.output)\(goose.output)")
            #expect(conversation.output.contains("All 8 items arrived exactly as they were sent."))
        }
        goose.interrupt()
        #expect(await goose.end() == 0, "\(goose.output)")
    }

    @Test("a wrong password ends an example with status 3 and a sentence")
    func wrongPassword() async throws {
        let place = try await Place()
        defer { place.remove() }
        try "wrong\n".write(toFile: place.passwordFile, atomically: true, encoding: .utf8)
        let program = try place.start("RosterDump")
        #expect(await program.end() == 3, "\(program.output)")
        #expect(program.output.hasPrefix("RosterDump: "))
    }

    @Test("S0-83: the contact list is fetched by hand and printed")
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
