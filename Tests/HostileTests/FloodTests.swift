import Foundation
import HostileFixtures
import ProgramFixtures
import ServerFixtures
import Testing

@testable import ChatModel

/// Review of security, G28, H, K, N5: floods and slow files against the programs.
@Suite("Floods", .serialized, .timeLimit(.minutes(5)))
struct FloodTests {
    /// What a program may grow by when it is sent what it has no use for, in KiB. The tests send at least twice as much.
    private static let growth = 12_000

    /// One that no other attack keeps busy.
    private static func server() async throws -> any PrivateServer {
        try await ServerKind.prosody012.shared(HostileComponent.options { $0.stanzaSizeLimit = 262_145 })
    }

    private struct Listening {
        let server: any PrivateServer
        let person: Person
        let program: Program
        let stranger: HostileComponent

        init(_ arguments: String...) async throws {
            server = try await FloodTests.server()
            person = try await Person("vic", onAny: server)
            stranger = try await HostileComponent(to: server)
            program = try Program(
                "hongyan", ["listen", "--json"] + arguments + person.connection(), home: person.home)
            try await program.waitForOutput("online") { $0.contains("\"state\":\"online\"") }
        }

        func send(_ texts: some Sequence<String>) async throws {
            var block = ""
            for text in texts {
                block += text
                if block.utf8.count > 100_000 {
                    try await stranger.send(block)
                    block = ""
                }
            }
            try await stranger.send(block)
        }

        func hears(_ marker: String) async throws {
            try await stranger.send(
                Scene.message(stranger.stranger + "/r", to: person.address, marker, id: marker))
            try await program.waitForOutput(marker) { $0.contains("\"body\":\"\(marker)\"") }
        }

        /// Resident memory in KiB.
        var memory: Int { Holdings(program.process).memory }

        func end() async {
            program.signal(15)
            _ = await program.result()
        }
    }

    /// What a process holds and has used, from `/proc`.
    private struct Holdings {
        let memory: Int
        /// Seconds of processor time.
        let time: Double

        init(_ process: Int32) {
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            memory =
                status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }.flatMap { Int($0.filter(\.isNumber)) }
                ?? 0
            let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let fields = (stat.split(separator: ")").last ?? "").split(separator: " ")
            time = fields.count > 12 ? (Double(fields[11]) ?? 0) / 100 + (Double(fields[12]) ?? 0) / 100 : 0
        }
    }

    @Test("H1, H6: 400 large presences of strangers are not kept")
    func presences() async throws {
        let listening = try await Listening()
        try await listening.hears("before")
        let before = listening.memory
        let status = String(repeating: "s", count: 60_000)
        try await listening.send(
            (0..<400).map {
                "<presence from='s\($0)@\(listening.stranger.domain)/r' to='\(listening.person.address)'>"
                    + "<status>\(status)</status></presence>"
            })
        try await listening.hears("after")
        #expect(listening.memory - before < Self.growth)
        await listening.end()
    }

    @Test("H2, H3, H5, H7: thousands of requests, messages and pings of strangers pass, and the memory stays")
    func requests() async throws {
        let listening = try await Listening()
        try await listening.hears("before")
        let before = listening.memory
        let (own, domain) = (listening.person.address, listening.stranger.domain)
        try await listening.send((0..<300).map { "<presence from='q\($0)@\(domain)' to='\(own)' type='subscribe'/>" })
        try await listening.send(
            (0..<2000).map { Scene.message("m\($0 % 50)@\(domain)/r", to: own, "flood \($0)", id: "h\($0)") })
        try await listening.send(
            (0..<2000).map {
                "<iq from='p\($0)@\(domain)/r' to='\(own)' type='get' id='i\($0)'><ping xmlns='urn:xmpp:ping'/></iq>"
            })
        try await listening.hears("after")
        #expect(listening.program.output.ranges(of: "\"body\":\"flood ").count == 2000)
        #expect(listening.memory - before < Self.growth)
        await listening.end()
    }

    @Test("H4: receipts and markers of strangers for messages that do not exist make no conversation")
    func reports() async throws {
        let scene = try await Scene.make(on: Self.server())
        for number in 0..<2000 {
            try await scene.stranger.send(
                "<message from='s\(number % 100)@\(scene.stranger.domain)/r' to='\(scene.address)' id='h\(number)'>"
                    + "<received xmlns='urn:xmpp:receipts' id='none-\(number)'/>"
                    + "<displayed xmlns='urn:xmpp:chat-markers:0' id='none-\(number)'/></message>")
        }
        try await scene.settle()
        let listed = try await scene.victim.conversations.map(\.key.address.bare.description).sorted()
        #expect(listed == [scene.friendly, scene.strange].sorted())
        await scene.victim.stop()
    }

    @Test("G28: a web server that drips does not keep the messages behind it from being shown")
    func drip() async throws {
        let host = try await HostileFileHost()
        let listening = try await Listening("--fetch", "all")
        let url = host.url("/drip")
        try await listening.stranger.send(
            Scene.message(
                listening.stranger.stranger + "/r", to: listening.person.address, url, id: "drip",
                extra: "<x xmlns='jabber:x:oob'><url>\(url)</url></x>"))
        try await listening.program.poll("the request", seconds: 60) { !host.requests.isEmpty }
        try await listening.hears("behind the file")
        await listening.end()
        await host.stop()
    }

    @Test(
        "K1, K2: a body of 250 KB of line feeds, brackets, marks or one word leaves chat quick",
        arguments: ["\n", ")", "x", "e\u{301}", "**", "> "])
    func longBodies(piece: String) async throws {
        let server = try await Self.server()
        let stranger = try await HostileComponent(to: server)
        let person = try await Person("vic", onAny: server)
        let chat = try person.chat(stranger.stranger)
        try await chat.waitForOutput("the conversation") { $0.contains("spy") }
        let before = Holdings(chat.process).time
        let body = "long " + String(repeating: piece, count: 200_000 / piece.utf8.count)
        for number in 0..<2 {
            try await stranger.send(Scene.message(stranger.stranger + "/r", to: person.address, body, id: "k\(number)"))
        }
        try await stranger.send(Scene.message(stranger.stranger + "/r", to: person.address, "behind-it", id: "k9"))
        try await chat.waitForOutput("the message behind") { $0.contains("behind-it") }
        #expect(Holdings(chat.process).time - before < 15, "seconds of processor time")
        #expect(chat.screenText.utf8.count < 300_000, "bytes written to the terminal")
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
    }

    @Test(
        "N5: of 20,000 occupants as many are kept as the bound allows, each is looked at once, and the list has few steps"
    )
    @MainActor
    func crowd() async throws {
        let server = try await Self.server()
        let stranger = try await HostileComponent(to: server)
        let room = await HostileRoom(on: stranger, features: HostileRoom.plainFeatures)
        let victim = try await Victim(on: server)
        try await victim.start()
        let key = try victim.key(room.address, .room)
        try await victim.account.rooms.enter(key.address, nickname: "vic")
        let model = RoomModel(key, store: victim.store)
        var steps = 0
        let observation = model.people.observe { steps += $0.steps.count }
        let following = Task { await model.follow(victim.account) }
        let (crowd, kept) = (20_000, 16_384)
        // In an order in which everybody comes between others.
        for number in 0..<crowd { try await room.presence(of: "occupant-\(number * 7919 % crowd)") }
        try await room.say("behind-them", as: "occupant-1", id: "n5")
        try await victim.gets("behind-them")
        try await victim.wait(for: "the whole list") { await model.count == kept }
        #expect(model.people.elements.count == kept)
        #expect(model.foldings == kept, "each name is folded once")
        // One of them changes: that is one step, and no name is folded again.
        try await victim.wait(for: "a quiet list") { await model.count == kept }
        let before = (steps: steps, listings: model.listings)
        #expect(before.steps <= before.listings * ListDiff<RoomPersonRow>.stepLimit)
        try await room.presence(of: "occupant-7919", extra: "<show>away</show>")
        try await victim.wait(for: "the change") {
            await model.people.elements.contains { $0.nickname == "occupant-7919" && $0.person.availability == .away }
        }
        #expect(steps == before.steps + 1)
        #expect(model.foldings == kept)
        withExtendedLifetime(observation) {}
        following.cancel()
        await following.value
        await victim.stop()
    }

    @Test("N5: a room with 4,000 occupants leaves chat quick")
    func largeRoom() async throws {
        let server = try await Self.server()
        let stranger = try await HostileComponent(to: server)
        let room = await HostileRoom(on: stranger, features: HostileRoom.plainFeatures)
        let person = try await Person("vic", onAny: server)
        let chat = try person.chat(stranger.stranger)
        try await stranger.send(Scene.message(stranger.stranger + "/r", to: person.address, "online-now", id: "n0"))
        try await chat.waitForOutput("the beginning") { $0.contains("online-now") }
        chat.type("/join \(room.address)\r")
        try await chat.poll("the room", seconds: 60) { !room.visitorNames.isEmpty }
        let before = Holdings(chat.process).time
        for number in 0..<4000 { try await room.presence(of: "occupant-\(number)") }
        try await room.say("behind-them", as: "occupant-1", id: "n5")
        try await chat.waitForOutput("the message behind") { $0.contains("behind-them") }
        #expect(Holdings(chat.process).time - before < 15, "seconds of processor time")
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
    }
}
