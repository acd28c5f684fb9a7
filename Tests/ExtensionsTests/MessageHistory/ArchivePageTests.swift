import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import MessageHistory

@Suite("Pages of an archive")
struct ArchivePageTests {
    private func page(
        _ ids: [String], first: String?, last: String?, isComplete: Bool = false, isFlipped: Bool = false
    ) throws -> ArchivePage {
        let archive = try JID("juliet@capulet.lit")
        let messages = ids.map { ArchivedMessage(archive: archive, id: $0, stamp: nil, message: nil) }
        let answer = ArchiveAnswer(isComplete: isComplete, part: ResultSet(first: first, last: last))
        return ArchivePage(messages, answer, isFlipped: isFlipped)
    }

    @Test("the ends are those that the archive names, which may have sent fewer messages than it looked at")
    func ends() throws {
        let page = try page(["2", "3"], first: "1", last: "4")
        #expect(page.oldestID == "1" && page.newestID == "4")
        let unnamed = try self.page(["2", "3"], first: nil, last: nil)
        #expect(unnamed.oldestID == "2" && unnamed.newestID == "3")
        let empty = try self.page([], first: nil, last: nil, isComplete: true)
        #expect(empty.oldestID == nil && empty.newestID == nil)
    }

    @Test("a flipped page has the same ends, whichever the archive calls the first", arguments: [true, false])
    func flipped(isSwapped: Bool) throws {
        let page = try page(
            ["3", "2", "1"], first: isSwapped ? "3" : "1", last: isSwapped ? "1" : "3", isFlipped: true)
        #expect(page.messages.map(\.id) == ["3", "2", "1"])
        #expect(page.oldestID == "1" && page.newestID == "3")
    }

    @Test("pages follow each other in the direction of the first, until the archive is through")
    func following() throws {
        let middle = try page(["2", "3"], first: "2", last: "3")
        #expect(ArchivePosition.newest(10).next(after: middle) == .before("2", 10))
        #expect(ArchivePosition.before("4", 10).next(after: middle) == .before("2", 10))
        #expect(ArchivePosition.oldest(10).next(after: middle) == .after("3", 10))
        #expect(ArchivePosition.after("1", 10).next(after: middle) == .after("3", 10))
        let end = try page(["2", "3"], first: "2", last: "3", isComplete: true)
        #expect(ArchivePosition.newest(10).next(after: end) == nil)
        // An empty page that is not called the last one leads nowhere.
        #expect(ArchivePosition.oldest(10).next(after: try page([], first: nil, last: nil)) == nil)
    }

    @Test("the size of a page is bounded", arguments: [(0, 1), (-5, 1), (50, 50), (Int.max, 250)])
    func size(asked: Int, sent: Int) {
        #expect(ArchivePosition.newest(asked).request == ResultSetRequest(.last, maximum: sent))
        #expect(ArchivePosition.after("1", asked).request == ResultSetRequest(.after("1"), maximum: sent))
    }

    @Test(
        "what an archive refuses, in words",
        arguments: [
            (StanzaError.Condition.itemNotFound, true, ArchiveError.Code.messageVanished),
            (.itemNotFound, false, .notSupported), (.featureNotImplemented, true, .notSupported),
            (.serviceUnavailable, false, .notSupported), (.forbidden, true, .forbidden),
            (.notAuthorized, false, .forbidden), (.notAllowed, false, .forbidden), (.resourceConstraint, true, .failed),
            (.internalServerError, false, .failed),
        ])
    func refusals(condition: StanzaError.Condition, namesMessage: Bool, code: ArchiveError.Code) {
        let refusal = ClientError(.refused, condition.message, cause: StanzaError(condition))
        let error = ArchiveError(refusal, namesMessage: namesMessage)
        #expect(error.code == code)
        #expect(error.description.hasSuffix("."))
    }

    @Test("cancelling and failing are told apart")
    func failures() {
        #expect(ArchiveError(ClientError(.cancelled, "c"), namesMessage: true).code == .cancelled)
        #expect(ArchiveError(ClientError(.timedOut, "t"), namesMessage: true).code == .failed)
        #expect(ArchiveError(ClientError(.unreadableAnswer, "u"), namesMessage: true).code == .invalidAnswer)
    }
}
