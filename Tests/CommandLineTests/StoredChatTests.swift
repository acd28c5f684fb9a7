import ChatStore
import Foundation
import Glibc
import ProgramFixtures
import ServerFixtures
import Testing
import XMPPAddress

@testable import CommandLine

/// The chat and its stored state: before a connection, after a crash, and next to another program.
@Suite struct StoredChatTests {
    private func quit(_ program: Program) async {
        program.type("/quit\r")
        #expect(await program.result().status == 0)
    }

    @Test(
        "S0-87, S0-92, S1-28, S1-37: stored messages show at once without a network; a new message is sent once, even if the program is killed"
    )
    func offline() async throws {
        let server = try await PrivateProsody()
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let first = try juliet.chat(romeo.address)
        try await first.waitForScreen("Conversation with")
        try await romeo.run("send", juliet.address, "wherefore art thou")
        try await first.waitForScreen("wherefore art thou")
        first.type("here\r")
        try await first.waitForScreen("✓")
        await quit(first)

        await server.kill()
        let second = try juliet.chat(romeo.address)
        try await second.waitForScreen("wherefore art thou")
        try await second.waitForScreen("me: here")
        try await second.waitForScreen("Offline.")
        second.type("typed in the dark\r")
        try await second.waitForScreen("typed in the dark")
        try await second.waitForScreen("Saved here")
        second.signal(SIGKILL)
        _ = await second.result()
        #expect(try await juliet.bare(["queue", "--jid", juliet.address]).output.contains("typed in the dark"))

        try await server.start()
        let listener = try await romeo.listen()
        let third = try juliet.chat(romeo.address)
        try await listener.waitForOutput("the message") { $0.contains("typed in the dark") }
        try await third.waitForScreen("✓✓")
        await quit(third)
        #expect(listener.output.ranges(of: "\"body\":\"typed in the dark\"").count == 1)
        listener.signal(SIGTERM)
        #expect(try await juliet.bare(["queue", "--jid", juliet.address]).output.contains("No message is waiting"))
        let told = try await juliet.bare(["history", romeo.address, "--jid", juliet.address, "--json"])
        #expect(
            told.objects.compactMap { $0["body"] as? String } == ["wherefore art thou", "here", "typed in the dark"])
    }

    @Test("a second program on the profile reports it in one message")
    func inUse() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let chat = try juliet.chat("nurse")
        try await chat.waitForScreen("Conversation with")
        for words in [["chat", "nurse"], ["history", "nurse", "--fetch"]] {
            let second = try Program(
                "hongyan", words + juliet.connection(), home: juliet.home, size: (80, 24))
            #expect(await second.result().status == 5)
            try await second.waitForOutput("the reason") { $0.contains("Another program has") }
        }
        await quit(chat)
    }

    @Test("an unsent text stays in its conversation, also after the program has ended")
    func drafts() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let first = try juliet.chat("nurse")
        try await first.waitForScreen("Conversation with nurse")
        first.type("wait for me")
        try await first.waitForScreen("> wait for me")
        first.signal(SIGTERM)
        _ = await first.result()
        let second = try juliet.chat("romeo")
        try await second.waitForScreen("Conversation with romeo")
        #expect(!second.screen().text.contains("wait for me"))
        second.type("/chat nurse\r")
        try await second.waitForScreen("> wait for me")
        second.type(", nurse\r")
        try await second.waitForScreen("me: wait for me, nurse")
        await quit(second)
        let third = try juliet.chat("nurse")
        try await third.waitForScreen("me: wait for me, nurse")
        #expect(!third.screen().text.contains("> wait for me"))
        await quit(third)
    }

    @Test("corrections, reactions and retractions change the line of their message")
    func changes() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let hers = try juliet.chat(romeo.address)
        let his = try romeo.chat(juliet.address)
        try await hers.waitForScreen("· online ──")
        try await his.waitForScreen("· online ──")
        his.type("good nihgt\r")
        try await hers.waitForScreen("good nihgt")
        try await his.waitForScreen("✔✔")
        hers.type("/reply a thousand times\r")
        try await his.waitForScreen("↪ me: good nihgt")
        his.type("/edit good night\r")
        try await hers.waitForScreen("good night")
        hers.type("/react 👍\r")
        try await his.waitForScreen("👍")
        hers.type("adieu\r")
        try await his.waitForScreen("adieu")
        hers.type("/delete\r")
        try await his.waitForScreen("retracted")
        hers.type("/search night\r")
        try await hers.waitForOutput("what was found") { _ in
            hers.screen().text.contains("* 2") || hers.screen().text.ranges(of: "good night").count >= 2
        }
        await quit(hers)
        await quit(his)
        let told = try await juliet.bare(["history", romeo.address, "--jid", juliet.address, "--json"])
        #expect(told.objects.first?["body"] as? String == "good night" && told.objects.first?["edited"] != nil)
        #expect(told.objects.last?["retracted"] as? Bool == true)
    }

    @Test(
        "PageUp loads older pages, in both languages, and no row is wider than the screen",
        arguments: [(80, "en_GB.UTF-8"), (80, "zh_CN.UTF-8"), (40, "zh_CN.UTF-8")])
    func pages(_ columns: Int, _ language: String) async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let peer = "romeo@montague.test"
        try await StoredConversation(account: juliet.address, peer: peer).write(into: juliet.home, count: 150)
        let chat = try Program(
            "hongyan", ["chat", peer] + juliet.connection(), home: juliet.home,
            environment: ["LC_ALL": "", "LANG": language, "HONGYAN_LOCALE_DIR": try await juliet.home.translations()],
            size: (UInt16(columns), 24))
        try await chat.waitForScreen("message 150", columns: columns)
        #expect(!chat.screen(columns: columns).text.contains("message 20 "))
        for _ in 0..<9 { chat.type("\u{1B}[5~") }
        try await chat.waitForOutput("the beginning") { _ in
            chat.screen(columns: columns).text.contains("message 1\n")
        }
        chat.type("\u{1B}[F")
        chat.type("/help\r")
        try await chat.waitForOutput("the help") { _ in chat.screen(columns: columns).text.contains("✔✔") }
        await quit(chat)
        try await chat.waitForOutput("the end") { $0.hasSuffix("\u{1B}[?2004l") }
        #expect(chat.screen(columns: columns).wrapCount == 0)
    }

    @Test("S3-25, T1: a room is a conversation: joined by its address or name, used, its occupants listed, left")
    func room() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        let room = "balcony-\(juliet.account.username)@conference.\(server.domain)"
        let hers = try juliet.chat()
        let his = try romeo.chat()
        try await hers.waitForScreen("online ──")
        try await his.waitForScreen("online ──")
        // Joining is not answered there.
        hers.type("/join nobody@\(server.domain) Juliet\r")
        try await hers.waitForScreen("There is no room at this address")
        try await hers.waitForScreen("Contact: /join nobody@\(server.domain) Juliet")
        hers.type("\u{3}")
        hers.type("/join \(room) Juliet\r")
        // As on the desktop, a room that does not exist is only created on an explicit command: a typing error would
        // create another one.
        try await hers.waitForScreen("Create it (yes/no)?")
        hers.type("yes\r")
        try await hers.waitForScreen("1 inside")
        // A name without a domain is a room of the account's own service.
        his.type("/join balcony-\(juliet.account.username) Romeo\r")
        try await hers.waitForScreen("2 inside")
        try await his.waitForScreen("2 inside")
        his.type("what light\r")
        try await hers.waitForScreen("Romeo: what light")
        his.type("buy my poison\r")
        try await hers.waitForScreen("Romeo: buy my poison")
        his.type("/moderate\r")
        try await his.waitForScreen("Only a moderator can delete the messages of others.")
        his.type("/kick Juliet for a kiss\r")
        try await his.waitForScreen("The room does not allow it.")
        try await his.waitForScreen("> /kick Juliet for a kiss")
        his.type("\u{3}")
        hers.type("/moderate unkind\r")
        try await hers.waitForScreen("Delete “buy my poison” of Romeo for everyone (yes/no)?")
        hers.type("yes\r")
        try await his.waitForScreen("retracted")
        his.type("Jul\t")
        try await his.waitForScreen("> Juliet:")
        his.type("\u{3}")
        hers.type("/who\r")
        try await hers.waitForScreen("Juliet (me), Romeo")
        await quit(hers)
        let listening = try await juliet.listen("--rooms")
        try await his.waitForScreen("2 inside")
        his.type("parting is such sweet sorrow\r")
        try await listening.waitForOutput("the message in the room") {
            $0.contains("\"with\":\"\(room)\",\"kind\":\"room\"") && $0.contains("parting is such sweet sorrow")
        }
        listening.signal(SIGTERM)
        _ = await listening.result()
        his.type("/leave\r")
        try await his.waitForScreen("You have left")
        await quit(his)
        // The room is joined again at the next start without a command.
        let again = try juliet.chat()
        try await again.waitForScreen("# balcony")
        again.type("1\r")
        try await again.waitForScreen("Romeo: what light")
        await quit(again)
    }

    @Test("reactions are added and removed one by one, as on the desktop; a command that failed stays in the input")
    func reactions() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        try await romeo.run("send", juliet.address, "good morrow")
        let hers = try juliet.chat(romeo.address)
        let his = try await romeo.listen()
        try await hers.waitForScreen("good morrow")
        // An earlier terminal replaced all reactions of the user; ChatModel toggles each of them.
        hers.type("/react 👍\r/react 🎉\r")
        try await hers.waitForOutput("both") { _ in
            let text = hers.screen().text
            return text.contains("👍 🎉") || text.contains("🎉 👍")
        }
        hers.type("/react 👍\r")
        try await his.waitForOutput("the end") { $0.contains("good morrow") || $0.contains("online") }
        hers.type("/reply 9 too far up\r")
        try await hers.waitForScreen("There is no such message to reply to.")
        try await hers.waitForScreen("> /reply 9 too far up")
        hers.type("\u{3}")
        hers.type("/invite nurse come quickly\r")
        try await hers.waitForScreen("This is not a room; /join joins one.")
        try await hers.waitForScreen("> /invite nurse come quickly")
        hers.type("\u{3}")
        await quit(hers)
        his.signal(SIGTERM)
        let told = try await juliet.bare(["history", romeo.address, "--jid", juliet.address, "--json"])
        let reactions = told.objects.first?["reactions"] as? [[String: Any]]
        #expect(reactions?.compactMap { $0["emoji"] as? String } == ["🎉"])
    }

    @Test("a muted conversation does not notify; Alt+A opens the next one with unread messages")
    func muted() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let tybalt = try await Person("tybalt", on: server)
        let nurse = try await Person("nurse", on: server)
        let store = try await juliet.home.openStore()
        let (own, peer) = (try JID(juliet.address), try JID(tybalt.address))
        try await store.write { store throws(StoreError) in
            let account = try store.addAccount(own)
            let id = try store.openConversation(ConversationKey(account: account, address: peer, kind: .direct))
            try store.update(ConversationSettings(notifications: .none), of: id)
        }
        await store.close()
        let chat = try juliet.chat("romeo")
        try await chat.waitForScreen("online ──")
        try await tybalt.run("send", juliet.address, "I hate the word")
        try await nurse.run("send", juliet.address, "Madam!")
        try await chat.waitForScreen("Madam!")
        try await chat.waitForScreen("2 unread")
        #expect(!chat.screen().text.contains("I hate the word"))
        chat.type("\u{1B}a")
        try await chat.waitForOutput("an unread conversation") { _ in
            chat.screen().text.contains("Conversation with \(nurse.address)")
                || chat.screen().text.contains("Conversation with \(tybalt.address)")
        }
        await quit(chat)
    }

    @Test("`send` can store a text without a connection, and the history contains sent messages")
    func send() async throws {
        let server = try await PrivateProsody()
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.run("send", romeo.address, "good morrow")
        let sent = try await juliet.bare(["history", romeo.address, "--jid", juliet.address, "--json"])
        #expect(sent.objects.first?["state"] as? String == "sent")
        await server.kill()
        try await juliet.run("send", romeo.address, "lost", expecting: 4)
        #expect(try await juliet.bare(["queue", "--jid", juliet.address]).output.contains("No message is waiting"))
        let kept = try await juliet.run("send", romeo.address, "kept", "--queue", "--json")
        #expect(kept.objects.first?["event"] as? String == "queued")
        #expect(
            try await juliet.bare(["queue", "--jid", juliet.address, "--json"]).objects.first?["body"] as? String
                == "kept")
    }

    @Test("messages of another device of the account are loaded from the archive, new ones by the next call")
    func fetch() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        let elsewhere = juliet.home.path + "/elsewhere"
        func fetched() async throws -> [String] {
            try await juliet.run("history", romeo.address, "--fetch", "--json", "--profile", elsewhere).objects
                .compactMap { $0["body"] as? String }
        }
        for number in 1...3 { try await juliet.run("send", romeo.address, "number \(number)") }
        #expect(try await fetched() == ["number 1", "number 2", "number 3"])
        // The beginning of the archive is known now.
        try await romeo.run("send", juliet.address, "number 4")
        try await juliet.run("send", romeo.address, "number 5")
        #expect(try await fetched() == (1...5).map { "number \($0)" })
        #expect(try await fetched().count == 5)
        let kept = try await juliet.bare(["history", romeo.address, "--profile", elsewhere, "--jid", juliet.address])
        #expect(kept.output.split(separator: "\n").count == 5)
    }
}
