import Synchronization
import Testing
import TransportLayer

@testable import FileSharing

@Suite("Uploads")
struct FileUploadTests {
    /// A service whose server deals with each upload in turn: how many bytes it takes, and what it fails with.
    private final class Service: Sendable {
        private let turns: [(taken: Int64, failure: TransportError.Code?)]
        private let count = Mutex((slots: 0, uploads: 0))
        let steps = Mutex<[Int64]>([])
        var slots: Int { count.withLock(\.slots) }

        init(_ turns: [(Int64, TransportError.Code?)]) { self.turns = turns }

        func upload(size: UInt64) async throws(FileSharingError) -> String {
            let upload = FileUpload(size: size) { () throws(FileSharingError) in
                let number = self.count.withLock { count in
                    count.slots += 1
                    return count.slots
                }
                return UploadSlot(putURL: "https://up.example/\(number)", getURL: "https://down.example/\(number)")
            } transfer: { slot, progress throws(TransportError) in
                let turn = self.count.withLock { count in
                    defer { count.uploads += 1 }
                    return self.turns[count.uploads]
                }
                progress(HTTPProgress(completed: turn.taken, total: Int64(size)))
                if let failure = turn.failure { throw TransportError(failure, "no") }
            }
            return try await upload.run { step in self.steps.withLock { $0.append(step.completed) } }
        }
    }

    @Test("what was sent whole and not answered is sent once more, to another address")
    func notAnswered() async throws {
        let service = Service([(10, .timedOut), (10, nil)])
        #expect(try await service.upload(size: 10) == "https://down.example/2")
        #expect(service.steps.withLock(\.self) == [10, 10])
    }

    @Test("it is not sent a third time")
    func twice() async {
        let service = Service([(10, .timedOut), (10, .timedOut)])
        await #expect(throws: FileSharingError.self) { try await service.upload(size: 10) }
        #expect(service.slots == 2)
    }

    @Test(
        "what stands still before its end, or fails, is sent once",
        arguments: [(Int64(9), TransportError.Code.timedOut), (10, .httpStatus), (10, .cancelled)])
    func once(taken: Int64, code: TransportError.Code) async {
        let service = Service([(taken, code)])
        await #expect(throws: FileSharingError.self) { try await service.upload(size: 10) }
        #expect(service.slots == 1)
    }
}
