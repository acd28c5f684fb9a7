import ChatModel
import ChatStore
import Synchronization
import Testing
import XMPPAddress

@testable import CommandLine

@Suite("Files that listen downloads")
struct ListenedFilesTests {
    private static let file = ListenedFiles.File(
        message: MessageID(rawValue: 1),
        attachment: Attachment(
            kind: .picture, mediaType: "image/png", size: 1000, url: "https://files.example/a"))
    private static let origin = ListenedOrigin(name: "x", members: [])

    @Test("a sender whose server hangs delays no other, and the number of waiting files is limited")
    func hanging() async throws {
        let files = ListenedFiles()
        let (slow, quick) = (try JID("slow@a.test"), try JID("quick@b.test"))
        // Nothing is awaited here: the events of the session continue.
        #expect(files.add(Self.file, from: slow, Self.origin) == nil)
        #expect(files.add(Self.file, from: slow, Self.origin) == nil)
        for _ in 0..<10 { #expect(files.add(Self.file, from: quick, Self.origin) == nil) }
        let begun = Mutex<[JID]>([])
        let (done, report) = AsyncStream<JID>.makeStream()
        let work = Task {
            await files.run { job in
                begun.withLock { $0.append(job.sender) }
                if job.sender == slow { try? await Task.sleep(for: .seconds(3600)) }
                report.yield(job.sender)
                return 1000
            }
        }
        var count = 0
        for await sender in done {
            #expect(sender == quick)
            count += 1
            if count == 10 { break }
        }
        #expect(begun.withLock { $0.filter { $0 == slow }.count } == 1, "One of each person at a time.")
        work.cancel()
        await work.value
    }

    @Test("more than the budget of an hour is not downloaded")
    func budget() throws {
        let files = ListenedFiles()
        let sender = try JID("friend@a.test/phone")
        var refused = 0
        for _ in 0..<(DownloadBudget.filesPerHour + 5)
        where files.add(Self.file, from: sender, Self.origin) == .overBudget { refused += 1 }
        #expect(refused == 5)
    }
}
