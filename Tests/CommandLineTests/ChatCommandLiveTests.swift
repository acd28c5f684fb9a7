import ProgramFixtures
import ServerFixtures
import Testing

/// What the commands of the terminal chat do to others.
@Suite struct ChatCommandLiveTests {
    private func quit(_ programs: Program...) async {
        for program in programs {
            program.type("\u{15}/quit\r")
            #expect(await program.result().status == 0)
        }
    }

    @Test("in a room: a topic, an invitation, a new nickname, an action, a removal and a ban reach the other person")
    func room() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let romeo = try await Person("romeo", on: server)
        try await juliet.befriend(romeo)
        let name = "balcony-\(juliet.account.username)"
        let room = "\(name)@conference.\(server.domain)"
        let hers = try juliet.chat()
        let his = try romeo.chat()
        for chat in [hers, his] { try await chat.waitForScreen("online ──") }
        hers.type("/join \(room) Juliet\r")
        try await hers.waitForScreen("Create it (yes/no)?")
        hers.type("yes\r")
        try await hers.waitForScreen("1 inside")
        hers.type("/topic\r")
        try await hers.waitForScreen("The room has no topic.")
        hers.type("/topic Dawn\r")
        try await hers.waitForScreen("1 inside · Dawn")
        hers.type("/invite \(romeo.address) climb up\r")
        try await hers.waitForScreen("is invited.")
        try await his.waitForScreen("invites you")
        // What was written with the invitation; it may begin a line of its own.
        try await his.waitForScreen("“climb")
        his.type("/join \(room) Romeo\r")
        try await his.waitForScreen("2 inside · Dawn")
        his.type("/topic\r")
        try await his.waitForScreen("Topic: Dawn")

        his.type("/nick Montague\r")
        try await his.waitForScreen("Your nickname in this room is now Montague.")
        his.type("here I am\r")
        try await hers.waitForScreen("Montague: here I am")
        his.type("/me waves\r")
        try await hers.waitForScreen(" Montague waves")
        // What was said in the room comes back with one's nickname.
        try await his.waitForScreen(" Montague waves")

        hers.type("/kick Nobody\r")
        try await hers.waitForScreen("There is no occupant with this name in the room.")
        // What failed is in the input again.
        hers.type("\u{15}/kick Montague too loud\r")
        try await his.waitForScreen("Juliet has removed you")
        try await hers.waitForScreen("Montague is removed from the room.")
        try await hers.waitForScreen("1 inside")
        his.type("/join \(room) Montague\r")
        try await hers.waitForScreen("2 inside")
        try await his.waitForScreen("2 inside")

        hers.type("/ban Montague\r")
        try await hers.waitForScreen("Ban Montague (yes/no)?")
        hers.type("yes\r")
        try await his.waitForScreen("Juliet has banned you")
        try await hers.waitForScreen("Montague is banned from the room.")
        his.type("/join \(room) Montague\r")
        try await his.waitForScreen("You are banned from this room.")
        await quit(hers, his)
    }

    @Test(
        "with people: an action is shown with the name; who is blocked cannot write until unblocked; unread conversations are listed, and Alt with a digit opens one"
    )
    func people() async throws {
        let server = try await PrivateProsody.shared
        let juliet = try await Person("juliet", on: server)
        let nurse = try await Person("nurse", on: server)
        let romeo = try await Person("romeo", on: server)
        for person in [nurse, romeo] { try await juliet.befriend(person) }
        let hers = try juliet.chat()
        let his = try romeo.chat(juliet.address)
        try await his.waitForScreen("· online ──")
        // He is online, and so above the nurse in the list.
        try await hers.waitForScreen("1 ● \(romeo.account.username)")
        hers.type("\u{1B}1")
        try await hers.waitForScreen("Conversation with \(romeo.account.username)")
        his.type("/me waves\r")
        try await hers.waitForScreen(" \(romeo.account.username) waves")
        hers.type("/me waves back\r")
        try await his.waitForScreen(" \(juliet.account.username) waves back")
        try await hers.waitForScreen(" \(juliet.account.username) waves back")

        hers.type("/unread\r")
        try await hers.waitForScreen("There are no other unread messages.")
        try await nurse.run("send", juliet.address, "Madam!")
        try await hers.waitForScreen("1 unread")
        hers.type("/unread\r")
        try await hers.waitForScreen("2. \(nurse.account.username): 1 unread")
        hers.type("\u{1B}2")
        try await hers.waitForScreen("Conversation with \(nurse.account.username)")
        try await hers.waitForScreen("\(nurse.account.username): Madam!")
        try await hers.waitForOutput("that it is read") { _ in !hers.screen().text.contains("1 unread · ") }
        hers.type("\u{1B}1")
        try await hers.waitForScreen("Conversation with \(romeo.account.username)")

        hers.type("/block\r")
        try await hers.waitForScreen("Block \(romeo.address) (yes/no)?")
        hers.type("yes\r")
        try await hers.waitForScreen("is blocked")
        try await his.waitForScreen("· offline ──")
        his.type("let me in\r")
        try await his.waitForScreen("Not sent: “let me in”")
        #expect(!hers.screen().text.contains("let me in"))
        hers.type("/unblock \(nurse.address)\r")
        try await hers.waitForScreen("is not blocked.")
        hers.type("\u{15}/unblock \(romeo.address)\r")
        try await hers.waitForScreen("is no longer blocked.")
        his.type("\u{15}/retry\r")
        try await hers.waitForScreen("\(romeo.account.username): let me in")
        await quit(hers, his)
    }
}
