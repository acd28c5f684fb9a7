import Testing

/// Two people at two windows of the real program, as the screen shows it and as mouse and keyboard move it.
@Suite("Two people at two windows", .serialized, .timeLimit(.minutes(20)))
struct TwoPeopleTests {
    @Test("both make accounts in the window: with a provider, and with an invitation; a certificate is asked about")
    func accounts() async throws { try await Story.shared.reach(.accounts) }

    @Test("the program is ended by its menu, and a link begins a conversation")
    func beginning() async throws { try await Story.shared.reach(.beginning) }

    @Test("one adds the other by name alone; the other one agrees, and each sees the other online")
    func friends() async throws { try await Story.shared.reach(.friends) }

    @Test("texts go both ways, also Chinese and emoji; ticks tell that they were delivered and seen")
    func texts() async throws { try await Story.shared.reach(.texts) }

    @Test("a picture is chosen, looked at, sent, and painted on the other screen")
    func picture() async throws { try await Story.shared.reach(.picture) }

    @Test("a voice message is recorded, sent and played, and says what was spoken")
    func voice() async throws { try await Story.shared.reach(.voice) }

    @Test("a message is edited by its menu")
    func correction() async throws { try await Story.shared.reach(.correction) }

    @Test("an emoji is given to a message, and taken back")
    func reaction() async throws { try await Story.shared.reach(.reaction) }

    @Test("a message is deleted on both sides")
    func deletion() async throws { try await Story.shared.reach(.deletion) }

    @Test("what is sent without a network waits, and comes once when the network is back")
    func outage() async throws { try await Story.shared.reach(.outage) }

    @Test("a program that was killed has the draft and the waiting message when it is started again")
    func crash() async throws { try await Story.shared.reach(.crash) }

    @Test("a room is made, the other one is invited, and both talk in it")
    func room() async throws { try await Story.shared.reach(.room) }

    @Test("while both rest, online and in a room, nothing wakes their programs again and again")
    func rest() async throws { try await Story.shared.reach(.rest) }
}
