import ChatStore
import Cryptography
import OMEMO
import Testing
import XMPPAddress
import XMPPStanzas

@testable import ChatEngine

/// The decoders of the stored keys; `Fuzz/KeyRecordsFuzzer` searches further.
@Suite("Damaged records of keys")
struct DamagedRecordTests {
    private static let cryptography: any OMEMOCryptography = OpenSSLCryptography()
    private static let now: Int64 = 1_800_000_000

    /// Each byte changed in several ways, each length, and more than the record.
    private static func damaged(_ record: [UInt8]) -> [[UInt8]] {
        var results = (0..<record.count).map { Array(record.prefix($0)) } + [record + [0]]
        for index in record.indices {
            for byte: UInt8 in [0x00, 0x01, 0x7f, 0x80, 0xff, record[index] ^ 1] {
                var changed = record
                changed[index] = byte
                results.append(changed)
            }
        }
        return results
    }

    private static func check(_ record: [UInt8], _ read: ([UInt8]) throws -> [UInt8]?) throws {
        #expect(try read(record) == record)
        var refused = 0
        for bytes in damaged(record) {
            guard let again = try? read(bytes) else {
                refused += 1
                continue
            }
            // What is accepted means the same when it is read again.
            #expect(try read(again) == again)
        }
        #expect(refused >= record.count)
    }

    @Test("own keys are refused or usable")
    func ownKeys() throws {
        let identity = try IdentityKeyPair.random(using: Self.cryptography)
        let keys = try OwnKeys(
            identity, device: OMEMODevice.random(using: Self.cryptography), now: Self.now, using: Self.cryptography)
        try Self.check(keys.record) { bytes in
            let read = try OwnKeys(bytes, using: Self.cryptography)
            var rotated = read
            _ = try rotated.rotate(now: Self.now, using: Self.cryptography)
            return read.record
        }
        var preKey = OwnPreKey(try PreKeyPair.random(id: 7, using: Self.cryptography))
        (preKey.used, preKey.exchanges) = (Self.now, [[1, 2, 3], []])
        try Self.check(preKey.record) { bytes in
            let read = try OwnPreKey(bytes, using: Self.cryptography)
            // As `refill` computes.
            _ = Self.now - read.used
            return read.record
        }
    }

    @Test("missing messages and requested copies are refused or usable")
    func copies() throws {
        let message = Message(to: try JID("bob@b.test"), type: .chat, id: "m1", body: "x")
        var missing = try #require(
            MissingMessage(
                message, "m1", in: ConversationAddress(try JID("room@c.test"), kind: .room), sent: Self.now,
                now: Self.now))
        missing.requested(now: Self.now)
        #expect(try MissingMessage(missing.record).record == missing.record)
        for bytes in Self.damaged(missing.record) {
            guard var read = try? MissingMessage(bytes) else { continue }
            _ = (read.isDue(now: Self.now), read.isOver(now: Self.now))
            read.requested(now: Self.now)
            #expect(try MissingMessage(read.record).record == read.record)
        }
        var copies = RequestedCopies(for: try JID("bob@b.test/a"), [], time: Self.now)
        copies.add([
            .init("m1", in: .requester), .init("m2", in: .account("carol@c.test")), .init("m3", in: .room("r@c.test")),
        ])
        try Self.check(try #require(copies.record)) { try RequestedCopies($0).record }
    }

    @Test("sessions, known keys and owed messages are refused or usable")
    func peers() throws {
        var shelf = SessionShelf()
        for session in [[1, 2, 3], [], [4]] as [[UInt8]] { shelf.put(session) }
        shelf.retire(now: Self.now)
        shelf.put([5, 6])
        for number in 0..<3 {
            shelf.sent.add(
                "m\(number)", for: try IdentityKeyPair.random(using: Self.cryptography).publicKey,
                using: Self.cryptography)
        }
        shelf.sent.copied("m2", using: Self.cryptography)
        try Self.check(shelf.record) { bytes in
            let read = try SessionShelf(bytes)
            var later = read
            _ = later.timePassed(now: Self.now + 86_400)
            later.retire(now: Self.now)
            return read.record
        }
        // That of an earlier version.
        var writer = RecordWriter(version: 1)
        writer.write(UInt8(2))
        for session in [[1, 2], [3]] as [[UInt8]] { writer.write(session) }
        #expect(try SessionShelf(writer.bytes).sessions == [[1, 2], [3]])
        let identity = try IdentityKeyPair.random(using: Self.cryptography).publicKey
        let key = KnownKey(
            identity, try OMEMODevice.random(using: Self.cryptography), trust: .trusted, now: Self.now)
        try Self.check(key.record) { try KnownKey($0).record }
        var owed = OwedMessage()
        owed.repaired(now: Self.now - 5)
        owed.kind = .repair
        try Self.check(try #require(owed.record)) { bytes in
            var read = try OwedMessage(bytes)
            guard let record = read.record else { return nil }
            _ = read.mayRepair(now: Self.now)
            read.repaired(now: Self.now)
            return record
        }
    }
}
