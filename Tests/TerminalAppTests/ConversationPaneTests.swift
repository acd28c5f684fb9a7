import ChatFixtures
import ChatStore
import Observation
import Synchronization
import Testing
import XMPPClient

@testable import ChatEngine
@testable import ChatModel
@testable import TerminalApp

@MainActor
@Suite struct ConversationPaneTests {
    @Test("what happens to the file of a new message is observed before the message is drawn for the first time")
    func newFile() async throws {
        let fixture = try await ModelFixture()
        let folder = try SpareFolder()
        let media = try await MediaCache.open(at: folder.path + "/media", budget: 1_000_000)
        let progress = UploadProgress()
        let downloads = AttachmentDownloads(
            AttachmentFetcher(store: fixture.store, media: media), uploads: progress)
        let account = ChatAccount(
            fixture.account, configuration: ClientConfiguration(address: fixture.juliet, password: ""),
            store: fixture.store)
        let pane = ConversationPane(
            fixture.key, account: account, downloads: downloads, environment: ModelEnvironment())
        await pane.open()
        let file = Attachment(kind: .file, name: "accounts.csv", contentHash: "00", isLocal: true)
        let id = try await fixture.send(.text(MessageText("", attachments: [file])), id: "f", at: 1)
        progress.show(.uploading(0), of: id, at: 0)
        await eventually { pane.messages.count == 1 }
        let isChanged = Atomic(false)
        withObservationTracking {
            pane.readDrawn(fetches: false)
        } onChange: {
            isChanged.store(true, ordering: .relaxed)
        }
        _ = pane.entries(name: "Romeo", fetches: false)
        progress.show(.offered, of: id, at: 0)
        let isSeen = await eventually { isChanged.load(ordering: .relaxed) }
        #expect(isSeen)
        await eventually { pane.files.lines(of: pane.messages[0]).contains { $0.hasSuffix("Offered to the contact") } }
        #expect(pane.files.lines(of: pane.messages[0]).first?.hasSuffix("Offered to the contact") == true)
        await pane.close()
        await media.close()
    }
}
