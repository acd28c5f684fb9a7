import Foundation
import ServerFixtures
import Testing

/// One person at a narrow window with letters of twice the size, who has sixty contacts, two accounts and no mouse.
@Suite("A crowd at a narrow window", .timeLimit(.minutes(15)))
struct CrowdTests {
    /// A window like half of a small screen.
    private static let (width, height) = (640, 700)
    private static let password = "wild-goose-26"

    @Test(
        "sixty conversations are found, read and answered without a mouse, at 200 % in a narrow window, with two accounts, offline, in Chinese, and from right to left"
    )
    func crowd() async throws {
        let scripts = (#filePath as NSString).deletingLastPathComponent
        let desktop = try PrivateDesktop(
            width: Self.width, height: Self.height, services: [PrivateNotifications.service])
        let flock = try await Flock(knowing: "alice")
        let server = flock.server
        let alice = "alice@\(server.domain)"
        for user in ["alice", "alice2"] { _ = try await server.addUser(user, password: Self.password) }
        try await flock.writes({ "Honk \($0)!" }, to: alice)
        let network = try FaultProxy(to: server.port)
        let hands = try ControlledScript(
            ["/usr/bin/python3", "-W", "ignore", "\(scripts)/person.py"], environment: desktop.environment)
        let person = try PersonAtWindow("Alice", at: 0, on: desktop, hands: hands)

        try await person.start(until: .label("Welcome to Hongyan"))
        try await person.resizes(.label("Welcome to Hongyan"), to: Self.width, Self.height)
        try await person.goes(to: .button("Sign In"))
        try await person.presses("Return")
        try await signIn(person, alice, port: network.port)
        try await enlarges(person)
        try await reads(person)
        try await flock.meets(37) { goose in
            try await finds(person, goose, alice)
            try await outage(person, goose, alice, network)
        }
        try await person.presses("alt+Left")
        try await flock.meets(7) { goose in
            try await secondAccount(person, flock, goose, port: network.port)
        }
        try await flock.meets(12) { goose in try await inChinese(person, goose, alice) }
        try await flock.meets(21) { goose in try await rightToLeft(person, goose, alice) }
        #expect(person.complaints.isEmpty, "\(person.complaints)")
    }

    /// The form begins with the field of the address.
    private func signIn(_ person: PersonAtWindow, _ address: String, port: UInt16) async throws {
        try await person.sees(.field("Address"))
        try await person.fills("Address", with: address)
        try await person.presses("Tab")
        try await person.fills("Password", with: Self.password, readable: false)
        try await person.goes(to: Look(role: "list item", name: "Server settings"))
        try await person.presses("Return", "Tab")
        try await person.fills("Host", with: "127.0.0.1")
        try await person.presses("Tab")
        try await person.fills("Port", with: String(port))
        try await person.presses("Return")
        try await person.goes(to: .button("Trust Always"))
        try await person.presses("Return")
        try await person.sees(.button("Main Menu"))
    }

    /// Letters become twice as large, and everything still is in the window.
    private func enlarges(_ person: PersonAtWindow) async throws {
        for _ in 0..<5 { try await person.presses("ctrl+plus") }
        try await person.sees(.conversation("Goose 60", "Honk 60!", "1 unread"))
        for control in ["Main Menu", "New Conversation", "Search conversations and messages", "Contacts"] {
            try await person.seesAll(of: .button(control))
        }
        await person.photograph("crowd-list")
    }

    /// The unread conversations come one after the other, each once.
    private func reads(_ person: PersonAtWindow) async throws {
        var seen: Set<String> = []
        for _ in 0..<5 {
            try await person.presses("ctrl+shift+n")
            // The one before may still be there.
            let deadline = ContinuousClock.now + .seconds(75)
            var name = ""
            repeat {
                name = try await person.sees(Look(role: "filler", has: ["Goose ", "Honk "])).name ?? ""
            } while seen.contains(name) && ContinuousClock.now < deadline
            seen.insert(name)
        }
        await person.photograph("crowd-conversation")
        for control in ["Back", "Send pictures or files", "Record a voice message"] {
            try await person.seesAll(of: .button(control))
        }
        try await person.sees(.button("Back"), from: 0, to: 0.5)
        try await person.sees(.button("Send pictures or files"), from: 0, to: 0.5)
        try await person.sees(.button("Record a voice message"), from: 0.5, to: 1)
        #expect(seen.count == 5, "\(seen)")
    }

    /// Searches for somebody, who answers while the next message is written.
    private func finds(_ person: PersonAtWindow, _ goose: Goose, _ alice: String) async throws {
        try await person.presses("ctrl+k")
        try await person.typesOn("Goose 37")
        try await person.sees(Look(role: "list item", within: "What was found", has: ["Goose 37"]))
        await person.photograph("crowd-search")
        try await person.presses("Return")
        try await person.sees(.message("Goose 37, Honk 37!"))
        try await person.fills("Message", with: "Are you awake?")
        try await person.presses("Return")
        try await goose.hears("Are you awake?", from: alice)
        try await person.fills("Message", with: "half a ")
        try await goose.says("Wide awake.", to: alice)
        try await person.sees(.message("Goose 37, Wide awake."))
        try await person.typesOn("word")
        try await person.sees(.field("Message", saying: "half a word"))
        try await person.presses("ctrl+a", "BackSpace")
    }

    /// What is written without a network arrives later, once.
    private func outage(
        _ person: PersonAtWindow, _ goose: Goose, _ alice: String, _ network: FaultProxy
    ) async throws {
        network.configure { $0.acceptance = .refuse }
        network.resetConnections()
        try await person.sees(.words("cannot be reached"))
        try await person.fills("Message", with: "The lake is frozen.")
        try await person.presses("Return")
        try await person.sees(.message("You, The lake is frozen.", "Waiting to be sent"))
        await person.photograph("crowd-offline")
        network.heal()
        try await goose.hears("The lake is frozen.", from: alice)
        try await person.hasOnce("You, The lake is frozen.")
    }

    /// Another account is added by the menu; it answers by itself.
    private func secondAccount(_ person: PersonAtWindow, _ flock: Flock, _ goose: Goose, port: UInt16) async throws {
        try await person.goes(to: .button("Main Menu"))
        try await person.presses("Return")
        try await person.goes(to: .menuItem("Add an Account…"), by: "Down")
        try await person.presses("Return")
        try await person.goes(to: .button("Sign In"))
        try await person.presses("Return")
        let other = "alice2@\(flock.server.domain)"
        try await signIn(person, other, port: port)
        await person.photograph("crowd-accounts")
        try await goose.says("For your other half.", to: other)
        try await person.presses("ctrl+k")
        try await person.typesOn("other half")
        try await person.sees(Look(role: "list item", within: "What was found", has: ["For your other half."]))
        try await person.presses("Return")
        try await person.sees(.label("\(flock.address(7)) is not in your contacts."))
        await person.photograph("crowd-stranger")
        try await person.fills("Message as \(other)", with: "Here she is.")
        try await person.presses("Return")
        try await goose.hears("Here she is.", from: other)
    }

    /// The same windows speak Chinese at the next start.
    private func inChinese(_ person: PersonAtWindow, _ goose: Goose, _ alice: String) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let compiler = try await OutsideProgram.run([root + "/Scripts/translations", person.program.folder])
        try #require(compiler.status == 0, "\(compiler.output)")
        try await restart(
            person, ["LANGUAGE": "zh_CN", "HONGYAN_LOCALE_DIR": "\(person.program.folder)/locale"],
            until: .label("全部"))
        try await person.presses("ctrl+k")
        try await person.typesOn("Goose 12")
        try await person.sees(Look(role: "list item", within: "查找结果", has: ["Goose 12"]))
        try await person.presses("Return")
        try await person.sees(.message("Goose 12, Honk 12!"))
        try await person.fills("以 \(alice) 的身份发消息", with: "Good night.")
        try await person.presses("Return")
        try await goose.hears("Good night.", from: alice)
        try await person.sees(.message("你", "Good night."))
        await person.photograph("crowd-chinese")
    }

    /// In a language that is written from right to left the windows are mirrored. GTK speaks Hebrew, the program, which
    /// does not know it, English.
    private func rightToLeft(_ person: PersonAtWindow, _ goose: Goose, _ alice: String) async throws {
        try await restart(person, ["LANGUAGE": "he"], until: .label("All"))
        try await person.presses("ctrl+k")
        try await person.typesOn("Goose 21")
        try await person.sees(Look(role: "list item", within: "What was found", has: ["Goose 21"]))
        try await person.presses("Return")
        try await person.sees(.message("Goose 21, Honk 21!"))
        try await goose.says("לילה טוב!", to: alice)
        try await person.sees(.message("Goose 21, לילה טוב!"))
        try await person.fills("Message as \(alice)", with: "Good night.")
        try await person.presses("Return")
        try await goose.hears("Good night.", from: alice)
        try await person.sees(.message("You, Good night."))
        await person.photograph("crowd-right-to-left")
        try await person.sees(.button("Back"), from: 0.5, to: 1)
        try await person.sees(.button("Send pictures or files"), from: 0.5, to: 1)
        try await person.sees(.button("Record a voice message"), from: 0, to: 0.5)
        for control in ["Back", "Send pictures or files", "Record a voice message"] {
            try await person.seesAll(of: .button(control))
        }
    }

    private func restart(_ person: PersonAtWindow, _ environment: [String: String], until sight: Look) async throws {
        try await person.presses("ctrl+q")
        try await until("her program ends") { !person.program.isRunning }
        #expect(person.program.exitStatus == 0)
        try await person.start(environment: environment, until: sight)
    }
}
