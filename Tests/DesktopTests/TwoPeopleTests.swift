import Testing

/// Two users at two windows of the real program, through the screen, the mouse and the keyboard.
@Suite("Two people at two windows", .serialized, .timeLimit(.minutes(20)))
struct TwoPeopleTests {
    @Test(
        "S0-20, S0-21, S0-28, S0-29, S0-32, S0-69, S0-78, S0-105, S1-5, S1-19, S2-1, S2-18, S2-20, S3-32: both create accounts in the window: with a provider, and with an invitation; the user decides about a certificate"
    )
    func accounts() async throws { try await Story.shared.reach(.accounts) }

    @Test("S0-6, S1-21: the program is quit from its menu, and a link starts a conversation")
    func beginning() async throws { try await Story.shared.reach(.beginning) }

    @Test(
        "S0-11, S0-81, S1-26, S1-38, S2-10, S2-11, S2-15, S2-21, S2-23, S2-25, S2-27, S2-28, S2-33: signed in again with the saved password, one user adds the other by user name; the other accepts, and each sees the other online"
    )
    func friends() async throws { try await Story.shared.reach(.friends) }

    @Test(
        "S0-90, S0-91, S1-2, S1-30, S1-33, S1-34, S1-36: texts in both directions, also Chinese and emoji; ticks show that they were delivered and seen"
    )
    func texts() async throws { try await Story.shared.reach(.texts) }

    @Test("a reply is typed into a notification; it arrives, and the original message counts as seen")
    func answer() async throws { try await Story.shared.reach(.answer) }

    @Test("S0-94, S0-96, S0-97: a picture is selected, previewed, sent, and drawn on the other screen")
    func picture() async throws { try await Story.shared.reach(.picture) }

    @Test("files are dragged from another program into the conversation, and arrive in their order")
    func drop() async throws { try await Story.shared.reach(.drop) }

    @Test("S0-100, S0-103: a voice message is recorded, sent and played, and contains the spoken words")
    func voice() async throws { try await Story.shared.reach(.voice) }

    @Test("a message is edited through its menu")
    func correction() async throws { try await Story.shared.reach(.correction) }

    @Test("a reaction is added to a message, and removed")
    func reaction() async throws { try await Story.shared.reach(.reaction) }

    @Test("a message is deleted on both sides")
    func deletion() async throws { try await Story.shared.reach(.deletion) }

    @Test("the keyboard does everything with messages, and what is typed goes to the input field")
    func keyboard() async throws { try await Story.shared.reach(.keyboard) }

    @Test("S0-92, S2-1: a message sent without a network waits, and arrives once when the network is back")
    func outage() async throws { try await Story.shared.reach(.outage) }

    @Test("S0-87, S1-28, S1-37: after a kill the draft and the waiting message are there when the program is restarted")
    func crash() async throws { try await Story.shared.reach(.crash) }

    @Test("S3-25: a room is created, the other user is invited, and both chat in it")
    func room() async throws { try await Story.shared.reach(.room) }

    @Test("the list is used by keyboard and mouse, and the window is restored")
    func list() async throws { try await Story.shared.reach(.list) }

    @Test("S0-82, S2-36, S2-37: a swipe over a contact asks whether to delete it, and then it is gone on both sides")
    func farewell() async throws { try await Story.shared.reach(.farewell) }
}

/// The same two users, who encrypt from the start of their second session on.
@Suite("Two people who encrypt", .serialized, .timeLimit(.minutes(10)))
struct EncryptedPeopleTests {
    @Test(
        "messages are on both screens and not on the server; keys are compared, a new device is told of, policies apply"
    )
    func encryption() async throws { try await Story().encrypted() }
}
