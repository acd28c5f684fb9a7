import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Notification policy")
@MainActor
struct NotificationPolicyTests {
    typealias Situation = NotificationPolicy.Situation

    enum Outcome: Sendable, Equatable {
        case announced(isMention: Bool)
        case silent(NotificationPolicy.SuppressionReason)
    }

    struct Case: Sendable {
        var body = "hello"
        var isOutgoing = false
        var isRead = false
        var age: Int64 = 0
        var settings = ConversationSettings()
        var isInFront = false
        var isOtherDeviceActive = false
        var isQuiet = false
        var kind = ConversationKey.Kind.room
        var isModerator = false
        let outcome: Outcome
    }

    nonisolated static let mentions = ConversationSettings(notifications: .mentions)
    nonisolated static let muted = ConversationSettings(mutedUntil: ModelFixture.time(10))
    nonisolated static let wasMuted = ConversationSettings(mutedUntil: ModelFixture.time(-10))

    @Test(
        "message, settings and situation decide",
        arguments: [
            Case(outcome: .announced(isMention: false)),
            Case(body: "Juliet, hello", outcome: .announced(isMention: true)),
            Case(body: "Juliet, hello", kind: .direct, outcome: .announced(isMention: false)),
            Case(isOutgoing: true, outcome: .silent(.own)), Case(isRead: true, outcome: .silent(.read)),
            Case(age: 25 * 3600, outcome: .silent(.old)), Case(age: 3600, outcome: .announced(isMention: false)),
            Case(isInFront: true, outcome: .silent(.inFront)),
            Case(isOtherDeviceActive: true, outcome: .silent(.otherDevice)),
            Case(isQuiet: true, outcome: .silent(.quiet)),
            Case(settings: .init(notifications: .none), outcome: .silent(.muted)),
            Case(body: "Juliet!", settings: .init(notifications: .none), outcome: .silent(.muted)),
            Case(settings: muted, outcome: .silent(.muted)),
            Case(body: "juliet", settings: muted, outcome: .silent(.muted)),
            Case(settings: wasMuted, outcome: .announced(isMention: false)),
            Case(settings: mentions, outcome: .silent(.noMention)),
            Case(body: "where is JULIET?", settings: mentions, outcome: .announced(isMention: true)),
            Case(body: "@juliet", settings: mentions, outcome: .announced(isMention: true)),
            Case(body: "Juliette", settings: mentions, outcome: .silent(.noMention)),
            Case(body: "请问朱丽叶在吗", settings: mentions, outcome: .announced(isMention: true)),
            Case(body: "juliet_2", settings: mentions, outcome: .silent(.noMention)),
            Case(body: "@all dinner", settings: mentions, outcome: .silent(.noMention)),
            Case(body: "@all dinner", settings: mentions, isModerator: true, outcome: .announced(isMention: true)),
            Case(body: "dinner", settings: mentions, isModerator: true, outcome: .silent(.noMention)),
            Case(body: "@all", kind: .direct, isModerator: true, outcome: .announced(isMention: false)),
            Case(body: "@here", settings: muted, isModerator: true, outcome: .silent(.muted)),
        ])
    func decide(_ test: Case) async throws {
        let fixture = try await ModelFixture()
        let room = try fixture.key("balcony@rooms.example", .room)
        try await fixture.receive(
            test.body, id: "a", at: 0, from: try JID("balcony@rooms.example/Tybalt"), isOutgoing: test.isOutgoing,
            in: room)
        let message = try #require(try await fixture.all(room).first)
        let decision = NotificationPolicy().decide(
            message, settings: test.settings, title: "Balcony", senderName: "Tybalt", kind: test.kind,
            names: ["Juliet", "朱丽叶"], mayAddressEverybody: test.isModerator, isRead: test.isRead,
            in: Situation(
                now: ModelFixture.time(test.age), isInFront: test.isInFront,
                isOtherDeviceActive: test.isOtherDeviceActive, isQuiet: test.isQuiet))
        switch (decision, test.outcome) {
        case (.announce(let notification), .announced(let isMention)):
            #expect(notification.isMention == isMention)
            #expect(notification.title == "Balcony")
            #expect(notification.senderName == (test.kind == .room ? "Tybalt" : nil))
            #expect(notification.preview?.text == test.body)
        case (.suppress(let silence), .silent(let expected)): #expect(silence == expected)
        default: Issue.record("\(test): \(decision)")
        }
    }

    @Test("without permission to show texts, there is none")
    func hidden() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("secret", id: "a", at: 0)
        let message = try #require(try await fixture.all().first)
        let decision = NotificationPolicy(showsText: false).decide(
            message, settings: ConversationSettings(), title: "romeo", senderName: "romeo", kind: .direct, names: [],
            in: Situation(now: ModelFixture.time(0)))
        guard case .announce(let notification) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(notification.preview == nil)
    }
}
