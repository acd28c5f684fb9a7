import Foundation
import Glibc
import ProgramFixtures
import SampleMedia
import ServerFixtures
import Testing

@testable import CommandLine

@Suite struct ChatTests {
    @Test(
        "S0-91, S1-2, S1-27, S1-30, S1-31, S1-34, S1-36: a conversation in the terminal, from the contact list to the ticks",
        arguments: [(80, 24), (40, 20)])
    func conversation(_ columns: Int, _ rows: Int) async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let listener = try await romeo.listen()
        let chat = try juliet.chat(columns: UInt16(columns), rows: UInt16(rows))
        func wait(_ text: String) async throws {
            try await chat.waitForScreen(text, columns: columns, rows: rows)
        }
        try await wait("●")
        chat.type("\r")
        try await wait("Conversation with")
        chat.type("你好，罗密欧！ and a text that is long enough to need a second row on any screen\r")
        try await wait("✓✓")
        try await listener.waitForOutput("the message") { $0.contains("你好，罗密欧！") && $0.contains("second row") }
        try await romeo.run("send", juliet.address, "wherefore?")
        try await wait("wherefore?")

        // A message of another contact: it is marked, and the conversation stays open.
        let nurse = try await Person("nurse", on: server)
        try await nurse.run("send", juliet.address, "Madam!")
        try await wait("Madam!")
        #expect(chat.screen(columns: columns, rows: rows).text.contains("→ "))

        // A pasted text with line breaks is sent as one message.
        chat.type("\u{1B}[200~first\nsecond\u{1B}[201~\r")
        try await listener.waitForOutput("the pasted text") { $0.contains("\"body\":\"first\\nsecond\"") }
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
        // The last output may be read a moment after the end.
        try await chat.waitForOutput("the end") { $0.hasSuffix("\u{1B}[?2004l") }
        let end = chat.screen(columns: columns, rows: rows)
        #expect(end.wrapCount == 0, "no row is longer than the screen")
        listener.signal(SIGTERM)
    }

    @Test("S0-81, S2-27, S2-29: a contact request is shown in the conversation and accepted there")
    func request() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForOutput("the beginning") { _ in chat.screen().text.contains("not a contact") }
        try await romeo.run("add", juliet.address)
        try await chat.waitForOutput("the request") { _ in chat.screen().text.contains("wants to add you") }
        chat.type("/accept\r")
        try await chat.waitForOutput("the answer") { _ in chat.screen().text.contains("is accepted") }
        #expect(try await romeo.run("roster", "--json").objects.first?["subscription"] as? String == "to")
        // S2-37: removing requires a confirmation.
        chat.type("/remove\r")
        try await chat.waitForOutput("the question") { _ in chat.screen().text.contains("(yes/no)?") }
        chat.type("no\r")
        try await chat.waitForOutput("the refusal") { _ in chat.screen().text.contains("Nothing was changed.") }
        chat.type("\u{4}")
        #expect(await chat.result().status == 0)
    }

    @Test("S1-35: a message that cannot be sent shows the failure; typing and states of the other side are shown")
    func failuresAndStates() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let nobody = try juliet.chat("nobody-at-all")
        try await nobody.waitForOutput("the beginning") { _ in nobody.screen().text.contains("not a contact") }
        nobody.type("anybody there?\r")
        try await nobody.waitForOutput("the failure") { _ in nobody.screen().text.contains("Not sent: “anybody there?”")
        }
        nobody.type("/fly\r/picture\r/status dnd at work\r")
        try await nobody.waitForOutput("answers to commands") { _ in
            let text = nobody.screen().text
            return text.contains("There is no command /fly") && text.contains("Type /picture FILE.")
                && text.contains("Your contacts see you as: busy: at work")
        }
        nobody.type("\u{3}\u{3}")
        #expect(await nobody.result().status == 0)

        let hers = try juliet.chat(romeo.address)
        let his = try romeo.chat(juliet.address)
        try await hers.waitForOutput("his presence") { _ in hers.screen().text.contains("· online ──") }
        // A contact that is offline gets no typing notifications, so he must see her online first.
        try await his.waitForOutput("her presence") { _ in his.screen().text.contains("· online ──") }
        his.type("I am wri")
        try await hers.waitForOutput("his writing") { _ in hers.screen().text.contains("is writing…") }
        his.type("ting\r")
        try await hers.waitForOutput("his message") { _ in hers.screen().text.contains("I am writing") }
        his.type("/quit\r")
        hers.type("/quit\r")
        #expect(await his.result().status == 0)
        #expect(await hers.result().status == 0)
    }

    @Test("S0-97, S0-103: sent and received pictures are lines with type, size, dimensions and path")
    func pictures() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let picture = try juliet.home.write("garden.png", SampleMedia.smallPicture)
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForOutput("the beginning") { _ in chat.screen().text.contains("── ") }
        chat.type("/picture \(picture.dropLast(5))\t\r")
        try await chat.waitForOutput("the picture") { _ in
            chat.screen().text.contains("[picture] image/") && chat.screen().text.contains("64 × 48")
        }
        let his = try romeo.home.write("his.png", SampleMedia.smallPicture)
        try await romeo.run("send", juliet.address, "--picture", his, "--inline")
        try await chat.waitForOutput("his picture") { _ in chat.screen().text.ranges(of: "64 × 48").count == 2 }
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
    }

    @Test("where the server takes no files, one is offered to the contact, who declines or gets it")
    func directFiles() async throws {
        let server = try await PrivateProsody.shared(ServerOptions { $0.removedModules = ["http_file_share"] })
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let file = try juliet.home.write("accounts.csv", Array("a,b\n1,2\n".utf8))
        let hers = try juliet.chat(romeo.address)
        let his = try romeo.chat(juliet.address)
        for chat in [hers, his] {
            try await chat.waitForOutput("the presence") { _ in chat.screen().text.contains("· online ──") }
        }
        his.type("/decline\r")
        try await his.waitForScreen("No contact offers a file here.")
        hers.type("/file \(file)\r")
        try await his.waitForScreen("/decline declines it")
        try await hers.waitForScreen("Offered to the contact")
        his.type("/decline\r")
        try await his.waitForScreen("(Declined)")
        try await hers.waitForScreen("the contact did not accept it")

        hers.type("/file \(file)\r")
        try await his.waitForScreen("/decline declines it")
        his.type("/get\r")
        try await hers.waitForScreen("✓✓")
        try await his.waitForOutput("the file") { _ in !his.screen().text.contains("/decline declines it") }
        for chat in [hers, his] {
            chat.type("/quit\r")
            #expect(await chat.result().status == 0)
        }
    }

    @Test("a message full of escape sequences changes only its own line on the screen")
    func hostile() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForOutput("the beginning") { _ in chat.screen().text.contains("── ") }
        try await romeo.run("send", juliet.address, "before \u{9B}2J\u{202E}gnp.exe \u{85} after")
        try await chat.waitForOutput("the message") { _ in chat.screen().text.contains("after") }
        #expect(!chat.screenText.contains("\u{9B}") && !chat.screenText.contains("\u{202E}"))
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
    }

    @Test("the state of the connection is shown: offline with the next attempt, then online again, with nothing lost")
    func connection() async throws {
        let server = try await PrivateProsody()
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForOutput("the beginning") { _ in chat.screen().text.contains("online ──") }
        await server.kill()
        try await chat.waitForOutput("the loss") { _ in chat.screen().text.contains("Offline: ") }
        try await chat.waitForOutput("the next try") { _ in chat.screen().text.contains("Next attempt in") }
        try await server.start()
        try await chat.waitForOutput("the return") { _ in chat.screen().text.contains("Online again") }
        chat.type("still here\r")
        try await chat.waitForOutput("the message") { _ in chat.screen().text.contains("still here") }
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
    }

    @Test(
        "S2-15, S2-31, S2-32, S2-35: a contact that comes online moves to the top of the list; a number opens a conversation"
    )
    func friends() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let abel = try await Person("abel", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        try await juliet.befriend(abel)
        let chat = try juliet.chat()
        /// The addresses in the order of the list on the screen.
        @Sendable func order() -> [String] {
            chat.screen().text.split(separator: "\n").suffix(4).compactMap { line in
                [abel, romeo].first { line.contains($0.address + " |") }?.account.username
            }
        }
        try await chat.waitForOutput("the list") { _ in order() == [abel.account.username, romeo.account.username] }
        let his = try await romeo.listen()
        try await chat.waitForOutput("the new order") { _ in order() == [romeo.account.username, abel.account.username]
        }
        his.signal(SIGTERM)
        try await chat.waitForOutput("the old order") { _ in order() == [abel.account.username, romeo.account.username]
        }
        chat.type("2\r")
        try await chat.waitForOutput("the conversation") { _ in
            chat.screen().text.contains("Conversation with \(romeo.account.username)")
        }
        chat.type("\u{4}")
        #expect(await chat.result().status == 0)
    }

    @Test("S0-6: an xmpp: link opens a conversation, adds a contact, and names the receiver")
    func links() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        let his = try await romeo.listen()
        try await juliet.run("send", "xmpp:\(romeo.address)", "by link")
        try await his.waitForOutput("the message") { $0.contains("\"body\":\"by link\"") }
        let chat = try juliet.chat("xmpp:\(romeo.address)?message")
        try await chat.waitForScreen("Conversation with \(romeo.account.username)")
        try await chat.waitForScreen("me: by link")
        try await chat.waitForScreen("online ──")
        chat.type("/add xmpp:\(romeo.address)?roster;name=Romeo\r")
        try await chat.waitForScreen("Request sent to \(romeo.address)")
        try await his.waitForOutput("the request") {
            $0.contains("\"event\":\"request\",\"address\":\"\(juliet.address)\"")
        }
        chat.type("/chat xmpp:nurse@\(server.domain)\r")
        try await chat.waitForScreen("Conversation with nurse")
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
        his.signal(SIGTERM)
    }

    @Test("S0-11: whether somebody is online is shown only with a subscription")
    func authorisation() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        let his = try await romeo.listen("--show", "dnd", "--status", "in the orchard")
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForScreen("not a contact")
        try await chat.waitForScreen("online ──")
        try await romeo.run("send", juliet.address, "Can you see me?")
        try await chat.waitForScreen("Can you see me?")
        // He is online, and she is as well.
        #expect(!chat.screen().text.contains("orchard"))
        chat.type("/add \(romeo.address)\r")
        try await his.waitForOutput("the request") { $0.contains("\"event\":\"request\"") }
        try await chat.waitForScreen("Request sent")
        #expect(!chat.screen().text.contains("orchard"))
        try await romeo.run("accept", juliet.address, "--no-add-back")
        try await chat.waitForScreen(" · away: in")
        chat.type("/quit\r")
        #expect(await chat.result().status == 0)
        // He has not asked for hers, and gets nothing.
        #expect(
            !his.output.split(separator: "\n").contains {
                $0.contains(juliet.address) && $0.contains("\"state\":\"online\"")
            })
        his.signal(SIGTERM)
    }

    @Test("S0-88: the list is sorted by name without regard to case; who has no subscription is hidden")
    func sorting() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        var people: [Person] = []
        for (account, name) in [("first", "tybalt"), ("second", "Benvolio"), ("third", "abram"), ("fourth", "Zoe")] {
            let person = try await Person(account, on: server)
            people.append(person)
            try await juliet.run("add", person.address, "--name", name)
            try await person.run("accept", juliet.address, "--no-add-back")
        }
        // The last one has ended it.
        try await people[3].run("remove", juliet.address, "--yes")
        let names = ["abram", "Benvolio", "tybalt"]
        let listed = try await juliet.run("roster", "--json").objects.compactMap { $0["name"] as? String }
        #expect(listed == names)
        #expect(try await juliet.run("roster", "--json", "--all").objects.count == 4)
        let chat = try juliet.chat()
        @Sendable func order() -> [String] {
            chat.screen().text.split(separator: "\n").compactMap { line in
                ["abram", "Benvolio", "tybalt", "Zoe"].first { line.contains("○ " + $0) }
            }
        }
        try await chat.waitForOutput("the list") { _ in order() == names }
        chat.type("\u{4}")
        #expect(await chat.result().status == 0)
    }

    @Test("S0-105, S1-5: the chat works with the servers that others run", arguments: ServerKind.allCases)
    func servers(_ kind: ServerKind) async throws {
        let server = try await kind.shared()
        let juliet = try await Person("juliet", onAny: server)
        let romeo = try await Person("romeo", onAny: server)
        let (hers, his) = (try juliet.chat(romeo.address), try romeo.chat(juliet.address))
        try await hers.waitForScreen("online ──")
        try await his.waitForScreen("online ──")
        hers.type("/add \(romeo.address)\r")
        try await his.waitForScreen("wants to add you")
        his.type("/accept\r")
        try await his.waitForScreen("is accepted")
        his.type("/add \(juliet.address)\r")
        try await hers.waitForScreen("· online ──")
        try await his.waitForScreen("· online ──")
        hers.type("你好，罗密欧！\r")
        try await his.waitForScreen("你好，罗密欧！")
        // His conversation is open, so he has seen it.
        try await hers.waitForScreen("✔✔")
        let picture = try romeo.home.write("garden.png", SampleMedia.smallPicture)
        his.type("/picture \(picture)\r")
        try await hers.waitForScreen("64 × 48")
        for chat in [hers, his] {
            chat.type("/quit\r")
            #expect(await chat.result().status == 0)
        }
    }

    @Test("the minutes until one is shown as away are set by a command, saved, and contacts see it")
    func away() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let his = try await romeo.listen()
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForScreen("· online ──")
        chat.type("/autoaway\r")
        try await chat.waitForScreen("after 10 minutes without a key")
        chat.type("/autoaway soon\r")
        try await chat.waitForScreen("Type a number of minutes up to 1440; 0 is never.")
        // The line stayed to be corrected.
        chat.type("\u{15}/autoaway 0\r")
        try await chat.waitForScreen("Your contacts never see you as away")
        chat.type("/autoaway 1\r")
        try await chat.waitForScreen("after 1 minute without a key")
        let preferences = juliet.home.path + "/data/hongyan/preferences.json"
        try await chat.poll("the preferences") {
            (try? String(contentsOfFile: preferences, encoding: .utf8))?.contains("\"minutesUntilAway\" : 1,") == true
        }
        // A minute goes by.
        let before = his.output.count
        try await his.waitForOutput("that she is away") {
            $0.dropFirst(before).contains("\"address\":\"\(juliet.address)\"")
                && $0.dropFirst(before).contains("\"away\"")
        }
        let middle = his.output.count
        chat.type("x")
        try await his.waitForOutput("that she is back") { $0.dropFirst(middle).contains("\"online\"") }
        chat.type("\u{15}/quit\r")
        #expect(await chat.result().status == 0)
        his.signal(SIGTERM)
    }
}
