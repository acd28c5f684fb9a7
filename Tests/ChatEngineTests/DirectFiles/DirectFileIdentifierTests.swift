import DirectTransfer
import Testing

@testable import ChatEngine

@Suite("The names of files from device to device")
struct DirectFileIdentifierTests {
    @Test("each offer of a file has its own session and names the same message")
    func attempts() {
        let sessions = (1...3).map { _ in DirectFileIdentifier.session("6f2b1a") }
        #expect(sessions.allSatisfy { DirectFileIdentifier.origin($0) == "6f2b1a" })
        #expect(Set(sessions).count == 3)
    }

    @Test(
        "what another program has made up is taken as it is, if it is not too long",
        arguments: [("a.b", "a.b"), (".1", ".1"), ("a.1.2", "a.1.2"), ("a.", "a."), ("é.2", "é")])
    func foreign(session: String, origin: String) {
        #expect(DirectFileIdentifier.origin(session) == origin)
    }

    @Test("a session without a usable name")
    func unusable() {
        #expect(DirectFileIdentifier.origin("") == nil)
        #expect(DirectFileIdentifier.origin(String(repeating: "x", count: 129)) == nil)
    }

    @Test("each failure of a transfer has a reason on both sides", arguments: TransferFailure.Code.allCases)
    func failures(code: TransferFailure.Code) {
        let failure = TransferFailure(code, "")
        #expect(AttachmentFailure(receiving: failure).code != .noUploadService)
        #expect(AttachmentFailure(sending: failure, hasBegun: true).code != .noAnswer)
        #expect(AttachmentFailure(sending: failure, hasBegun: false).isTemporary == false)
    }
}
