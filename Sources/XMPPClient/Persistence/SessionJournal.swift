import Foundation
import XMPPStream

/// The content of a ``FileSessionStore`` and its byte format: a header and then records, each with its length and a
/// checksum. The first record contains the whole state, the others contain changes.
///
/// Reading stops at the first incomplete record: the process or the machine stopped while it was written, so its writer
/// had not continued.
struct SessionJournal: Sendable, Equatable {
    /// A received stanza that was not completely handled.
    struct Received: Codable, Sendable, Equatable {
        var number: UInt64
        var stanza: String
    }

    struct Content: Codable, Sendable, Equatable {
        var resumption: ResumptionState?
        var unacknowledged: [UnacknowledgedStanza] = []
        var received: [Received] = []
        var nextNumber: UInt64 = 1
        /// `nil` before the first catch-up.
        var archive: ArchiveProgress?
    }

    /// How far an archive is known, and the ids of the last stanzas that were stored, whichever way they came.
    struct ArchiveProgress: Codable, Sendable, Equatable {
        /// A page of an archive has at most 250 messages; several can be under way while new messages arrive.
        static let rememberedIDs = 2048

        var account: String
        var mark: ArchiveMark?
        /// Whether everything after the mark arrives live.
        var isComplete = false
        var ids: [String] = []

        mutating func apply(_ step: ArchiveStep) {
            if let account = step.account, account != self.account { self = ArchiveProgress(account: account) }
            if let mark = step.mark { self.mark = mark }
            if let isComplete = step.isComplete { self.isComplete = isComplete }
            ids += step.ids
            if ids.count > Self.rememberedIDs { ids.removeFirst(ids.count - Self.rememberedIDs) }
        }
    }

    /// The difference between two values of ``ArchiveProgress``.
    struct ArchiveStep: Codable, Sendable, Equatable {
        var account: String?
        var mark: ArchiveMark?
        var isComplete: Bool?
        var ids: [String] = []
    }

    /// The difference between a state and the previous one.
    enum StateChange: Codable, Sendable, Equatable {
        case same
        case gone
        case new(ResumptionState)
        case step(handled: UInt32, acknowledged: UInt32, sent: [UnacknowledgedStanza])

        /// Whether no other session has begun on the server.
        var continuesSession: Bool {
            switch self {
            case .same, .step: true
            case .gone, .new: false
            }
        }
    }

    enum Record: Codable, Sendable, Equatable {
        case everything(Content)
        case change(
            StateChange, received: [String], unacknowledged: [UnacknowledgedStanza], archive: ArchiveStep? = nil)
        case archived(ArchiveStep, received: [String])
        case finished(UInt64)
        case unacknowledgedTaken
    }

    /// Eight bytes that identify the file type and its version.
    static let header = Array("HYJRNL1\n".utf8)
    /// The length and the checksum in front of a record.
    static let prefixLength = 8

    private(set) var content = Content()
    /// The number of valid bytes of the file.
    private(set) var byteCount = 0

    init() {}

    /// - Returns: `nil` if the bytes are not a journal.
    init?(reading bytes: [UInt8]) {
        guard bytes.count >= Self.header.count else {
            // The file was truncated while it was created.
            guard Self.header.starts(with: bytes) else { return nil }
            return
        }
        guard bytes.starts(with: Self.header) else { return nil }
        byteCount = Self.header.count
        while let record = Self.record(in: bytes, at: byteCount) {
            apply(record.value)
            byteCount += record.length
        }
    }

    // MARK: Bytes

    /// The complete state as a new file.
    func file() throws -> [UInt8] { Self.header + (try Self.bytes(of: .everything(content))) }

    static func bytes(of record: Record) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        let body = Array(try encoder.encode(record))
        return littleEndian(UInt32(body.count)) + littleEndian(CRC32.checksum(of: body)) + body
    }

    private static func record(in bytes: [UInt8], at offset: Int) -> (value: Record, length: Int)? {
        guard bytes.count - offset > prefixLength else { return nil }
        let length = Int(number(in: bytes, at: offset))
        let start = offset + prefixLength
        guard length <= bytes.count - start else { return nil }
        let body = bytes[start..<start + length]
        guard CRC32.checksum(of: body) == number(in: bytes, at: offset + 4),
            let record = try? JSONDecoder().decode(Record.self, from: Data(body))
        else { return nil }
        return (record, prefixLength + length)
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func number(in bytes: [UInt8], at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (UInt32($1) * 8) }
    }

    // MARK: Content

    /// Records that a record was written.
    mutating func append(_ record: Record, byteCount more: Int) {
        apply(record)
        byteCount += more
    }

    /// Records that the file was rewritten.
    mutating func rewritten(byteCount: Int) { self.byteCount = byteCount }

    /// The smallest change from the current state to another one.
    func change(to next: ResumptionState?) -> StateChange {
        guard let next else { return content.resumption == nil ? .same : .gone }
        guard let last = content.resumption, last != next else { return content.resumption == nil ? .new(next) : .same }
        let acknowledged = Int(next.acknowledgedCount &- last.acknowledgedCount)
        guard last.id == next.id, last.address == next.address, last.maximumSeconds == next.maximumSeconds,
            last.location == next.location, acknowledged <= last.unacknowledged.count
        else { return .new(next) }
        let kept = last.unacknowledged.dropFirst(acknowledged)
        guard kept.count <= next.unacknowledged.count, zip(kept, next.unacknowledged).allSatisfy({ $0 == $1 }) else {
            return .new(next)
        }
        return .step(
            handled: next.handledCount, acknowledged: next.acknowledgedCount,
            sent: Array(next.unacknowledged.dropFirst(kept.count)))
    }

    private mutating func apply(_ record: Record) {
        switch record {
        case .everything(let content): self.content = content
        case .change(let change, let received, let unacknowledged, let archive):
            apply(change)
            content.unacknowledged += unacknowledged
            apply(received)
            if let archive { content.archive?.apply(archive) }
        case .archived(let step, let received):
            apply(received)
            if content.archive == nil { content.archive = step.account.map { ArchiveProgress(account: $0) } }
            content.archive?.apply(step)
        case .finished(let number): content.received.removeAll { $0.number == number }
        case .unacknowledgedTaken: content.unacknowledged = []
        }
    }

    private mutating func apply(_ received: [String]) {
        for stanza in received {
            content.received.append(Received(number: content.nextNumber, stanza: stanza))
            content.nextNumber += 1
        }
    }

    private mutating func apply(_ change: StateChange) {
        switch change {
        case .same: break
        case .gone: content.resumption = nil
        case .new(let state): content.resumption = state
        case .step(let handled, let acknowledged, let sent):
            guard let last = content.resumption else { return }
            let count = Int(acknowledged &- last.acknowledgedCount)
            content.resumption = ResumptionState(
                id: last.id, address: last.address, handledCount: handled, acknowledgedCount: acknowledged,
                unacknowledged: last.unacknowledged.dropFirst(count) + sent, maximumSeconds: last.maximumSeconds,
                location: last.location)
        }
    }
}

/// The CRC-32 of Ethernet and zlib (polynomial 0xEDB88320): detects incomplete records after a crash.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }

    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
