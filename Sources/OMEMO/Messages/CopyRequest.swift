/// The request of a device for copies of messages that it could not decrypt.
///
/// It is the plaintext of an empty message: the 32 zero bytes that each empty message encrypts (XEP-0384 §5.5.3), and the
/// request behind them. So servers cannot read, change or make one, and programs that do not know it see an empty message.
public struct CopyRequest: Sendable, Hashable {
    /// The conversation of a message, as the device that is asked sees it.
    public enum Place: Sendable, Hashable {
        /// The conversation with the account of the device that asks.
        case requester
        /// The conversation with another account, from a device of our own account.
        case account(String)
        case room(String)
    }

    public struct Entry: Sendable, Hashable {
        /// The origin-id of the message (XEP-0359).
        public var id: String
        public var place: Place

        public init(_ id: String, in place: Place) { (self.id, self.place) = (id, place) }
    }

    /// Messages in one request; more are requested in the next one.
    public static let limit = 32
    /// Bytes of the longest id; programs use a UUID.
    public static let idByteCount = 128
    /// Bytes of a request. The encrypted key, a key exchange around it included, stays below
    /// ``OMEMOLimits/recipientKeyBytes``.
    static let byteCount = 3_000

    /// At least one.
    public let entries: [Entry]

    /// A request for the first ones of `entries` that fit; `nil` if none does.
    public init?(_ entries: some Sequence<Entry>) {
        var (taken, count) = ([Entry](), EncryptedPayload.emptyKey.count)
        for entry in entries.prefix(Self.limit) {
            // With the lengths before its fields.
            let size = entry.serialized.count + 4
            guard entry.id.utf8.count <= Self.idByteCount, count + size <= Self.byteCount else { continue }
            taken.append(entry)
            count += size
        }
        guard !taken.isEmpty else { return nil }
        self.entries = taken
    }

    /// Reads what an empty message contained; `nil` for an empty message that requests nothing, or what cannot be read.
    public init?(plaintext: [UInt8]) {
        let prefix = EncryptedPayload.emptyKey
        guard plaintext.count > prefix.count, plaintext.count <= Self.byteCount, plaintext.starts(with: prefix) else {
            return nil
        }
        var entries: [Entry] = []
        var reader = FieldReader(plaintext[prefix.count...])
        do {
            while let (number, value) = try reader.next() {
                guard number == 1, case .bytes(let bytes) = value, entries.count < Self.limit else { continue }
                if let entry = try Entry(serialized: bytes) { entries.append(entry) }
            }
        } catch {
            return nil
        }
        guard !entries.isEmpty else { return nil }
        self.entries = entries
    }

    /// What the session encrypts.
    public var plaintext: [UInt8] {
        var writer = FieldWriter()
        for entry in entries { writer.write(1, entry.serialized) }
        return EncryptedPayload.emptyKey + writer.bytes
    }
}

extension CopyRequest.Entry {
    fileprivate var serialized: [UInt8] {
        var writer = FieldWriter()
        writer.write(1, Array(id.utf8))
        switch place {
        case .requester: break
        case .account(let address): writer.write(2, Array(address.utf8))
        case .room(let address): writer.write(3, Array(address.utf8))
        }
        return writer.bytes
    }

    /// `nil` for an entry that is not understood.
    fileprivate init?(serialized bytes: ArraySlice<UInt8>) throws(OMEMOError) {
        let fields = try Fields(bytes, known: 1...3)
        let id = try fields.bytes(1)
        guard !id.isEmpty, id.count <= CopyRequest.idByteCount else { return nil }
        self.id = String(decoding: id, as: UTF8.self)
        switch (try fields.optionalBytes(2), try fields.optionalBytes(3)) {
        case (nil, nil): place = .requester
        case (let address?, nil): place = .account(String(decoding: address, as: UTF8.self))
        case (nil, let address?): place = .room(String(decoding: address, as: UTF8.self))
        case (_?, _?): return nil
        }
    }
}
