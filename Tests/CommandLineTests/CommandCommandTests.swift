import AdHocCommands
import DataForms
import Foundation
import ProgramFixtures
import Roster
import ServerFixtures
import ServiceDiscovery
import Testing
import TransportLayer
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// `hongyan command` at a server's own commands (XEP-0133) and at those of a bot.
@Suite("Commands of servers and bots on the command line", .timeLimit(.minutes(20)))
struct CommandCommandTests {
    private static let addUser = "http://jabber.org/protocol/admin#add-user"

    /// Prosody with commands for its administrator.
    private static let options = ServerOptions { $0.administrators = ["admin"] }

    @Test("a server's commands are listed, and an account that one of them adds can log in")
    func server() async throws {
        let server = try await PrivateProsody.shared(Self.options)
        let domain = server.domain
        let account = Account(username: "admin", password: "of the server", domain: domain)
        try #require(account.address == "admin@xmpp.test")
        try await server.register(account.username, password: account.password)
        let admin = try Person(account, on: server)
        let list = try await admin.run("command", domain)
        #expect(list.output.contains(Self.addUser + "  "), "\(list.output)")
        #expect(try await admin.run("command", domain, "--json").objects.contains { $0["node"] as? String == "uptime" })
        let uptime = try await admin.run("command", domain, "uptime")
        #expect(uptime.output.contains("running") || uptime.output.contains("uptime"), "\(uptime.output)")

        // Without a terminal, what is missing is said, and how to give it.
        let missing = try await admin.run("command", domain, Self.addUser, expecting: 2)
        #expect(missing.errors.contains("accountjid=…"), "\(missing.errors)")
        let wrong = try await admin.run("command", domain, Self.addUser, "accountjid=a@b@c", expecting: 2)
        #expect(wrong.errors.contains("is not valid"), "\(wrong.errors)")
        // A password is no argument.
        let open = try await admin.run(
            "command", domain, Self.addUser, "accountjid=nurse@\(domain)", "password=rose", expecting: 2)
        #expect(open.errors.contains("--answers"), "\(open.errors)")
        let unknown = try await admin.run(
            "command", domain, Self.addUser, "accountjid=nurse@\(domain)", "colour=red", expecting: 2)
        #expect(unknown.errors.contains("colour"), "\(unknown.errors)")

        let file = try admin.home.write("answers", "password=rose and name\npassword-verify=rose and name\n")
        let added = try await admin.run(
            "command", domain, Self.addUser, "accountjid=nurse@\(domain)", "--answers", file, "--json")
        #expect(added.objects.first?["status"] as? String == "completed", "\(added.output)")
        let nurse = try Person(
            Account(username: "nurse", password: "rose and name", domain: domain), on: admin.server)
        #expect(try await nurse.run("roster").status == 0)
        // The same again fails, with the server's reason.
        let again = try await admin.run(
            "command", domain, Self.addUser, "accountjid=nurse@\(domain)", "--answers", file, expecting: 1)
        #expect(again.output.contains("exist"), "\(again.output)")
    }

    @Test("an account without the right is refused, and a missing command is named so")
    func refused() async throws {
        let romeo = try await Person("romeo", on: PrivateProsody.shared(Self.options))
        let domain = romeo.account.domain
        #expect(!(try await romeo.run("command", domain).output.contains(Self.addUser)))
        try await romeo.run("command", domain, Self.addUser, expecting: 1)
        try await romeo.run("command", domain, "nothing", expecting: 1)
        try await romeo.run("command", expecting: 2)
        try await romeo.run("command", domain, "uptime", "no answer", expecting: 2)
    }

    @Test("ejabberd answers a command")
    func ejabberd() async throws {
        let romeo = try await Person("romeo", onAny: try await PrivateEjabberd.shared)
        #expect(try await romeo.run("command", romeo.account.domain, "ping").output == "Pong\n")
    }

    @Test(
        "the commands of a contact's bot: a table, a choice by its label, a failure, and text without control characters"
    )
    func bot() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let bot = try await Person("bot", on: server)
        try await juliet.befriend(bot)
        var configuration = ClientConfiguration(
            address: try JID(bot.address), password: bot.account.password)
        configuration.host = server.host
        configuration.port = server.port
        configuration.trust = .certificateAuthority(server.authorityFile)
        configuration.loginTimeout = .seconds(120)
        configuration.add { ServiceDiscovery($0) }
        configuration.add { Roster($0) }
        configuration.add { AdHocCommands($0, offering: [Self.geese, Self.feed]) }
        let client = Client(configuration)
        try await client.run { session in
            try await session.send(Presence())
            try await Self.inChat(juliet, with: bot)
            #expect(try await juliet.run("command", bot.address).output == "geese  List Geese\nfeed  Feed\n")
            let geese = try await juliet.run("command", bot.address, "geese")
            #expect(geese.output.hasPrefix("Geese\n\nName: Akka\nAge: 7\n\nName: Martin"))
            #expect(!geese.output.contains("\u{9B}"))
            let rows = try await juliet.run("command", bot.address, "geese", "--json").objects.first?["rows"]
            #expect((rows as? [[String: [String]]])?.map { $0["age"] } == [["7"], ["3"]])
            #expect(try await juliet.run("command", bot.address, "feed", "food=Clover").output == "Akka eats clover.\n")
            let failed = try await juliet.run("command", bot.address, "feed", "food=bread", expecting: 1)
            #expect(failed.output == "Error: Bread is bad for geese.\n")
            let none = try await juliet.run("command", bot.address, "feed", "food=steak", expecting: 2)
            #expect(none.errors.contains("clover, bread"), "\(none.errors)")
        }
    }

    /// The same in the chat: the list, questions in lines, a wrong answer, cancelling, and the name of a command as "/name".
    private static func inChat(_ juliet: Person, with bot: Person) async throws {
        let chat = try juliet.chat(bot.address)
        func wait(_ text: String) async throws {
            try await chat.waitForOutput(text) { _ in chat.screen().text.contains(text) }
        }
        /// Until the input line is the question.
        func waitForQuestion() async throws {
            try await chat.waitForOutput("the question") { _ in
                chat.screen().text.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }?.hasPrefix("Food:")
                    == true
            }
        }
        try await wait(" · online")
        chat.type("/commands\r")
        try await wait("2  Feed  (feed)")
        chat.type("/run 2\r")
        try await waitForQuestion()
        chat.type("steak\r")
        try await wait("The answer to “Food” is not one of the choices.")
        try await waitForQuestion()
        chat.type("1\r")
        try await wait("Akka eats clover.")
        chat.type("/feed\r")
        try await waitForQuestion()
        chat.type("Bread\r")
        try await wait("Error: Bread is bad for geese.")
        chat.type("/run feed\r")
        try await waitForQuestion()
        chat.type("\u{3}")
        try await wait("Nothing was changed.")
        chat.type("/geese\r")
        try await wait("Name: Martin")
        #expect(!chat.screen().text.contains("\u{9B}"))
        chat.type("/fly\r")
        try await wait("There is no command /fly")
        // In another conversation the list of this bot does not count.
        chat.type("/chat nobody-here\r")
        try await wait("Conversation with nobody-here")
        chat.type("/run 2\r")
        try await wait("Type /commands ADDRESS.")
        chat.type("\u{4}")
        #expect(await chat.result().status == 0)
    }

    private static let geese = Command(node: "geese", name: "List Geese") { _ in
        let columns = [DataFormField(name: "name", label: "Name"), DataFormField(name: "age", label: "Age")]
        let rows = [("Akka", "7"), ("Martin\u{9B}2J", "3")].map { name, age in
            [DataFormField(name: "name", values: [name]), DataFormField(name: "age", values: [age])]
        }
        return .completed(DataForm(kind: .result, title: "Geese", columns: columns, rows: rows))
    }

    private static let feed = Command(node: "feed", name: "Feed") { _ in
        let food = DataFormField(
            name: "food", kind: .listSingle, label: "Food", isRequired: true,
            options: [.init(label: "Clover", value: "clover"), .init(label: "Bread", value: "bread")])
        return .ask(DataForm(kind: .form, title: "Feed Akka", fields: [food])) { answers in
            let food = answers["food"]?.values.first ?? ""
            return food == "clover" ? .completed("Akka eats clover.") : .failed("Bread is bad for geese.")
        }
    }
}
