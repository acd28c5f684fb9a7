import ChatStore
import Foundation
import Glibc
import ProgramFixtures
import SampleMedia
import ServerFixtures
import Testing
import UserProfile
import XMPPAddress

@testable import CommandLine

/// Programs that use one profile at the same time: one of them opens it, and the others send through it.
@Suite("One profile, several programs")
struct SharedProfileTests {
    private func bodies(with peer: String, of person: Person) async throws -> [String] {
        try await person.bare(["history", peer, "--jid", person.address, "--json"]).objects.compactMap {
            $0["body"] as? String
        }
    }

    private func listened(_ program: Program) -> [String] {
        Program.objects(program.output).compactMap { $0["body"] as? String }
    }

    @Test("send uses the running chat, which shows the message at once, and the history contains it once")
    func throughChat() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let his = try await romeo.listen("--count", "3")
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForScreen("online ──")
        // No password is needed, because the account is online in the other program.
        let words = ["--jid", juliet.address, "--json"]
        let sent = try await juliet.bare(["send", romeo.address, "from a script", "--delivered"] + words)
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(sent.objects.first?["stage"] as? String == "delivered")
        try await chat.waitForScreen("me: from a script")
        // A file and a voice message are sent in the same way.
        let picture = try juliet.home.write("picture.png", SampleMedia.smallPicture)
        let voice = try juliet.home.write("voice.wav", SampleMedia.sound)
        for file in [["--picture", picture], ["--voice", voice, "--inline"]] {
            let result = try await juliet.bare(["send", romeo.address] + file + words)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.objects.first?["sha256"] as? String != nil)
        }
        let refused = try await juliet.bare(["send", "nobody-there@\(server.domain)", "hello"] + words)
        #expect(refused.status == 1 && refused.errors.contains("was not delivered"))
        let stranger = try await juliet.bare(["send", romeo.address, "x", "--jid", "tybalt@\(server.domain)"])
        #expect(stranger.status == 5 && stranger.errors.contains("not signed in"))
        let heard = await his.result()
        #expect(heard.objects.filter { $0["sha256"] != nil }.count == 2)
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
        #expect(try await bodies(with: romeo.address, of: juliet).filter { $0 == "from a script" }.count == 1)
        #expect(listened(his) == ["from a script"])
    }

    @Test(
        "send uses a running listen; of many at once, each arrives once, and the history has them in order of arrival"
    )
    func throughListen() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let his = try await romeo.listen("--count", "6")
        let hers = try await juliet.listen()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...6 {
                group.addTask { try await juliet.run("send", romeo.address, "number \(number)") }
            }
            try await group.waitForAll()
        }
        #expect(await his.result().status == 0)
        #expect(Set(listened(his)) == Set((1...6).map { "number \($0)" }))
        hers.signal(SIGTERM)
        #expect(await hers.result().status == 0)
        #expect(try await bodies(with: romeo.address, of: juliet) == listened(his))
    }

    @Test("a message sent without a connection is sent by the next program that runs")
    func queued() async throws {
        let server = try await PrivateProsody()
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        await server.kill()
        let picture = try juliet.home.write("picture.png", SampleMedia.smallPicture)
        try await juliet.run("send", romeo.address, "later", "--queue")
        try await juliet.run("send", romeo.address, "--picture", picture, "--queue")
        try await juliet.run("send", romeo.address, "never", expecting: 4)
        try await server.start()
        let his = try await romeo.listen("--count", "3")
        try await juliet.run("send", romeo.address, "now", "--delivered")
        let hers = try await juliet.listen()
        #expect(await his.result().status == 0)
        #expect(listened(his) == ["later", "now"])
        #expect(his.output.contains("\"event\":\"picture\""))
        hers.signal(SIGTERM)
        _ = await hers.result()
        #expect(try await juliet.bare(["queue", "--jid", juliet.address]).output.contains("No message is waiting"))
    }

    @Test("if a program is killed while others send through it, no message is lost or duplicated")
    func killed() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let his = try await romeo.listen()
        let hers = try await juliet.listen()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...8 {
                group.addTask { try await juliet.run("send", romeo.address, "number \(number)", "--delivered") }
            }
            try await his.waitForOutput("the first") { $0.contains("number ") }
            hers.signal(SIGKILL)
            try await group.waitForAll()
        }
        _ = await hers.result()
        let next = try await juliet.listen()
        try await his.waitForOutput("all") { output in
            (1...8).allSatisfy { output.contains("\"number \($0)\"") }
        }
        #expect(listened(his).sorted() == (1...8).map { "number \($0)" })
        next.signal(SIGTERM)
        _ = await next.result()
        #expect(try await bodies(with: romeo.address, of: juliet).sorted() == (1...8).map { "number \($0)" })
        his.signal(SIGTERM)
    }

    @Test("a program waits for each one that uses the profile before it, but not without end")
    func holderWait() {
        let start = ContinuousClock.now
        var wait = HolderWait(now: start)
        func mayContinue(for holder: Int32?, after seconds: Int) -> Bool {
            wait.mayContinue(for: holder, now: start + .seconds(seconds))
        }
        // Each one has its own time; without a number it is the same one.
        let first = [mayContinue(for: 1, after: 9), mayContinue(for: 1, after: 18), mayContinue(for: 1, after: 20)]
        #expect(first == [true, true, false])
        let second = [
            mayContinue(for: 2, after: 20), mayContinue(for: nil, after: 29), mayContinue(for: nil, after: 31),
        ]
        #expect(second == [true, true, false])
        // One that ended without an answer gives more.
        let isLost = wait.mayContinueAfterEnd(now: start + .seconds(31))
        let third = [isLost, mayContinue(for: 2, after: 40), mayContinue(for: 2, after: 42)]
        #expect(third == [true, true, false])
        var count = 0
        while count < 1000, mayContinue(for: Int32(100 + count), after: 100 + 20 * count) { count += 1 }
        #expect((17..<100).contains(count))
    }

    @Test("the lock of a store names the process that has it open, or had it last")
    func lockHolder() async throws {
        let folder = NSTemporaryDirectory() + "lock-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let profile = Profile(folder: folder)
        #expect(SQLiteStore.holder(of: profile.storePath) == nil)
        let store = try await profile.open(for: .writing)
        #expect(SQLiteStore.holder(of: profile.storePath) == getpid())
        await store.close()
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: profile.storePath + ".lock"))
        #expect(SQLiteStore.holder(of: profile.storePath) == nil)
        await (try await profile.open(for: .writing)).close()
        #expect(SQLiteStore.holder(of: profile.storePath) == getpid())
    }

    @Test("a program that sends through another one that ends sends by itself, and does not report the end")
    func holderEnds() async throws {
        let server = try await PrivateEjabberd()
        let juliet = try await Person("juliet", onAny: server)
        let romeo = try await Person("romeo", onAny: server)
        let hers = try await juliet.listen()
        // The server takes the message and confirms nothing, so the order waits.
        server.freeze()
        let sending = try Program(
            "hongyan", ["send", romeo.address, "on its way"] + juliet.connection(), home: juliet.home)
        var isQueued = false
        while !isQueued {
            let queue = try await juliet.bare(["queue", "--jid", juliet.address])
            isQueued = queue.output.contains("on its way")
        }
        hers.signal(SIGTERM)
        _ = await hers.result()
        server.thaw()
        let result = await sending.result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(try await bodies(with: romeo.address, of: juliet) == ["on its way"])
    }

    @Test("listen reports the events of a chat on the same profile, and continues alone when the chat has ended")
    func listenBesideChat() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForScreen("online ──")
        let listener = try await juliet.listen("--count", "2")
        try await romeo.run("send", juliet.address, "first")
        try await listener.waitForOutput("the first") { $0.contains("\"body\":\"first\"") }
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
        try await listener.waitForOutput("its own connection") { $0.ranges(of: "\"state\":\"online\"").count == 2 }
        try await romeo.run("send", juliet.address, "second")
        #expect(await listener.result().status == 0)
        #expect(listened(listener) == ["first", "second"])
        #expect(try await bodies(with: romeo.address, of: juliet) == ["first", "second"])
    }

    @Test("history, queue and export work beside listen, and have what has just arrived")
    func readBesideListen() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let hers = try await juliet.listen()
        let account = ["--jid", juliet.address]
        for number in 1...3 {
            try await romeo.run("send", juliet.address, "number \(number)")
            try await hers.waitForOutput("the message") { $0.contains("\"number \(number)\"") }
            let history = try await juliet.bare(["history", romeo.address, "--json"] + account)
            #expect(history.status == 0, "\(history.errors)")
            #expect(history.objects.compactMap { $0["body"] as? String } == (1...number).map { "number \($0)" })
            #expect(try await juliet.bare(["export"]).output.contains("number \(number)"))
            #expect(try await juliet.bare(["queue"] + account).output.contains("No message is waiting"))
        }
        // The one that listens was not disturbed.
        try await juliet.run("send", romeo.address, "answer")
        hers.signal(SIGTERM)
        #expect(await hers.result().status == 0)
        #expect(try await bodies(with: romeo.address, of: juliet).last == "answer")
    }
}
