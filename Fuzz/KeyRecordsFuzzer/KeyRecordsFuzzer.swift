import MessagePayloads
import MessageSemantics
import OMEMO
import XMLStreaming
import XMPPAddress

/// Feeds arbitrary octets to the decoders of the records of keys in `chat.db`, of verification links and of
/// encrypted sources of files, and stops on the first broken promise.
///
/// The first octet chooses the decoder. What is accepted is written as something that is read as the same value, and
/// computing with it does not overflow.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyRecords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = octets.first else { return 0 }
    let input = Array(octets.dropFirst())
    let now: Int64 = 1_800_000_000
    let toy = ToyCryptography()
    switch choice % 11 {
    case 0:
        check(input) { bytes in
            let keys = try OwnKeys(bytes, using: toy)
            var later = keys
            _ = try later.rotate(now: now, using: toy)
            precondition(!later.signedKeys.isEmpty)
            return keys.record
        }
    case 1:
        check(input) { bytes in
            let key = try OwnPreKey(bytes, using: toy)
            _ = now - key.used
            return key.record
        }
    case 2:
        check(input) { bytes in
            var shelf = try SessionShelf(bytes)
            let record = shelf.record
            for session in shelf.sessions + shelf.retired { _ = try? OMEMOSession(serialized: session) }
            shelf.put([1])
            shelf.retire(now: now)
            _ = shelf.timePassed(now: now)
            shelf.sent.copied("x", using: toy)
            shelf.removeSessions(with: "")
            return record
        }
    case 3: check(input) { try KnownKey($0).record }
    case 4:
        check(input) { bytes in
            var owed = try OwedMessage(bytes)
            let record = owed.record
            _ = owed.mayRepair(now: now)
            owed.repaired(now: now)
            return record
        }
    case 5: check(input) { try ConversationEncryption($0).record }
    case 6:
        check(input) { try StrangerRecord($0).record }
        // The names of the records have addresses of others in them.
        let name = String(decoding: input, as: UTF8.self)
        if let device = OwedMessage.device(named: OwedMessage.prefix + name) {
            precondition(OwedMessage.device(named: OwedMessage.name(device)) == device, "A name changed its meaning.")
        }
        _ = KnownKey.address(inName: KnownKey.prefix + name)
        _ = ConversationEncryption.address(inName: name)
    case 7:
        check(input) { bytes in
            var missing = try MissingMessage(bytes)
            let record = missing.record
            _ = (missing.isDue(now: now), missing.isOver(now: now))
            missing.requested(now: now)
            _ = missing.record
            return record
        }
    case 8:
        // A record without entries is removed.
        check(input) { bytes in
            let copies = try RequestedCopies(bytes)
            return copies.record ?? RequestedCopies(for: copies.receiver, [.init("x", in: .requester)], time: 0).record
        }
    case 9:
        guard let element = try? XMLElement(parsing: input), let file = try? SharedFile(from: element) else { break }
        let again = try? SharedFile(from: XMLElement(file))
        precondition(again?.encrypted == file.encrypted && again?.urls == file.urls, "A file changed its meaning.")
        for source in file.encrypted {
            precondition(source.key.count == source.cipher.keyByteCount)
            precondition(source.vector.count == source.cipher.vectorByteCount)
        }
    default:
        guard let link = VerificationLink(String(decoding: input, as: UTF8.self)) else { break }
        precondition(link.entries.count + link.distrusted.count <= OMEMOLimits.devices)
        let written = VerificationLink(link.uri)
        let expected = link.entries.filter { $0.device != nil }
        precondition((written?.entries ?? []) == expected, "A link changed its meaning.")
        precondition(expected.isEmpty || written?.account == link.account, "A link changed its account.")
    }
    return 0
}

/// Nothing is required of a record that is refused.
private func check(_ input: [UInt8], _ read: ([UInt8]) throws -> [UInt8]?) {
    guard let record = try? read(input) else { return }
    guard let again = try? read(record) else { preconditionFailure("A record is refused.") }
    precondition(again == record, "A record changed its meaning.")
}
