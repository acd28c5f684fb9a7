import Testing

/// Two people at two windows of the real program, as the screen shows it and as mouse and keyboard move it.
@Suite("Two users at two windows", .serialized, .timeLimit(.minutes(20)))
struct TwoPeopleTests {
    @Test("both create accounts in the window: with a provider, and with an invitation; a certificate is confirmed")
    func accounts() async throws { try await Story.shared.reach(.accounts) }

    @Test("the program is quit by its menu, and a link opens a conversation")
    func beginning() async throws { try await Story.shared.reach(.beginning) }

    @Test("one adds the other by name alone; the other accepts, and each sees the other online")
    func friends() async throws { try await Story.shared.reach(.friends) }

    @Test("texts go both ways, also Chinese and emoji; ticks show that they were delivered and seen")
    func texts() async throws { try await Story.shared.reach(.texts) }

    @Test("a reply is typed into a notification; it arrives, and the message is marked as seen")
    func answer() async throws { try await Story.shared.reach(.answer) }

    @Test("a picture is chosen, previewed, sent, and shown on the other screen")
    func picture() async throws { try await Story.shared.reach(.picture) }

    @Test("a voice message is recorded, sent and played, with the spoken content")
    func voice() async throws { try await Story.shared.reach(.voice) }

    @Test("a message is edited by its menu")
    func correction() async throws { try await Story.shared.reach(.correction) }

    @Test("a reaction is added to a message, and removed")
    func reaction() async throws { try await Story.shared.reach(.reaction) }

    @Test("a message is deleted on both sides")
    func deletion() async throws { try await Story.shared.reach(.deletion) }

    @Test("a message sent without a network waits, and arrives once when the network is back")
    func outage() async throws { try await Story.shared.reach(.outage) }

    @Test("a killed program has the draft and the queued message when it is started again")
    func crash() async throws { try await Story.shared.reach(.crash) }

    @Test("a room is created, the other user is invited, and both write in it")
    func room() async throws { try await Story.shared.reach(.room) }
}
