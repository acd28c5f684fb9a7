import ChatFixtures
import ChatStore
import Testing
import XMPPAddress

@testable import ChatModel

@Suite("Albums")
@MainActor
struct MessageAlbumTests {
    private static func picture(_ kind: Attachment.Kind = .picture) -> [Attachment] {
        [Attachment(kind: kind, name: "a", url: "https://example.org/a")]
    }

    /// The rows of messages that were received at these seconds.
    private func rows(
        _ messages: [(seconds: Int64, text: MessageText)], _ change: (ModelFixture) async throws -> Void = { _ in }
    ) async throws -> [TimelineMessage] {
        let fixture = try await ModelFixture()
        for (index, (seconds, text)) in messages.enumerated() {
            try await fixture.receive(.text(text), id: "p\(index)", at: seconds)
        }
        try await change(fixture)
        let timeline = fixture.timeline()
        timeline.joinsAlbums = true
        await timeline.open()
        return timeline.items.elements.compactMap(\.message)
    }

    @Test("pictures and videos that were sent together are one row, with the text of one of them")
    func together() async throws {
        let rows = try await rows([
            (0, MessageText("Look!", attachments: Self.picture())), (1, MessageText("", attachments: Self.picture())),
            (2, MessageText("", attachments: Self.picture(.video))), (3, MessageText("and text")),
        ])
        #expect(rows.map(\.shown.count) == [3, 1])
        #expect(rows[0].captioned.text.body == "Look!")
        #expect(rows[0].album.allSatisfy { $0.album.isEmpty })
        #expect(rows[0].id == rows[0].album[0].id)
        let item = TimelineItem.message(rows[0])
        #expect(item.shows(.message(rows[0].album[2].id)) && !item.shows(.message(rows[1].id)))
    }

    @Test("pictures stay apart after a while, with two texts, as replies, and next to other files")
    func apart() async throws {
        let picture = Self.picture()
        #expect(
            try await rows([(0, MessageText("", attachments: picture)), (60, MessageText("", attachments: picture))])
                .count == 2)
        #expect(
            try await rows([
                (0, MessageText("one", attachments: picture)), (1, MessageText("two", attachments: picture)),
            ])
            .count == 2)
        #expect(
            try await rows([
                (0, MessageText("", attachments: picture)), (1, MessageText("", attachments: Self.picture(.voice))),
            ]).count == 2)
        #expect(
            try await rows([
                (0, MessageText("", attachments: picture)),
                (1, MessageText("", reply: .sent(id: "p0"), attachments: picture)),
            ]).count == 2)
    }

    @Test("an album has at most ten pictures; a reaction takes a picture out of it")
    func limits() async throws {
        let many = (0..<12).map { (seconds: Int64($0), text: MessageText("", attachments: Self.picture())) }
        #expect(try await rows(many).map(\.shown.count) == [10, 2])
        let rows = try await rows(Array(many.prefix(3))) { fixture in
            try await fixture.receive(.reactions(to: .sent(id: "p1"), ["🌹"]), id: "r", at: 9)
        }
        #expect(rows.map(\.shown.count) == [1, 1, 1])
    }
}
