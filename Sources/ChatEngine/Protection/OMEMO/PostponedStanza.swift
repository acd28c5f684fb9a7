internal import ChatStore
internal import OMEMO
internal import XMLStreaming
internal import XMPPAddress
internal import XMPPStanzas

/// An encrypted message that came while the keys of this device could not be read, or that was not opened in time. It is
/// opened later.
struct PostponedStanza: Sendable {
    static let prefix = "omemo/postponed/"
    private static let version: UInt8 = 1
    /// Messages that wait: what arrives in some days without the keyring.
    static let limit = 1_000
    /// Bytes of a stanza; servers allow more, which few messages have.
    static let stanzaByteCount = 65_536

    /// As it came.
    let message: Message
    let archive: JID?
    private let route: MessageCopy.Route
    private let isStamped: Bool
    private let time: MessageTime

    /// - Returns: `nil` if it is too large.
    init?(_ message: Message, _ route: ReceivedRoute, now: MessageTime) {
        guard XMLElement(message).byteCount <= Self.stanzaByteCount else { return nil }
        (self.message, archive, self.route) = (message, route.archive, route.route)
        (isStamped, time) = (route.isStamped, route.time ?? now)
    }

    var arrival: MessageReader.Arrival {
        .init(route, time: time, timeSource: !isStamped ? .clock : route == .archive ? .archive : .delay)
    }

    /// The oldest ones are first in the order of the names.
    func name(using cryptography: any OMEMOCryptography) -> String {
        let milliseconds = String(max(0, time.millisecondsSince1970))
        let digest = cryptography.hmac(Array(XMLElement(message).description.utf8), key: []).prefix(8)
        return Self.prefix + String(repeating: "0", count: max(0, 16 - milliseconds.count)) + milliseconds + "/"
            + digest.map { String($0, radix: 16) }.joined(separator: "-")
    }

    private static let routes: [MessageCopy.Route] = [.live, .carbon, .archive, .reflection]

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        var reader = try RecordReader(bytes, version: Self.version)
        time = MessageTime(millisecondsSince1970: try reader.time() * 1_000)
        let number = Int(try reader.byte())
        guard Self.routes.indices.contains(number) else { throw .damagedRecord }
        route = Self.routes[number]
        isStamped = try reader.byte() == 1
        let archive = String(decoding: try reader.field(), as: UTF8.self)
        self.archive = archive.isEmpty ? nil : try? JID(archive)
        guard let message = try? Message(from: XMLElement(parsing: try reader.field())) else { throw .damagedRecord }
        self.message = message
        try reader.end()
    }

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(time.millisecondsSince1970 / 1_000)
        writer.write(UInt8(Self.routes.firstIndex(of: route) ?? 0))
        writer.write(UInt8(isStamped ? 1 : 0))
        writer.write(Array((archive?.description ?? "").utf8))
        writer.write(Array(XMLElement(message).description.utf8))
        return writer.bytes
    }
}

/// The messages that are opened later.
struct PostponedMessages: Sendable {
    let context: EncryptionContext

    /// What is stored with a message that was not opened in time. It is opened in the next round, which begins now; if it waits
    /// already, the service decides when.
    func change(for message: Message, _ route: ReceivedRoute) async -> ProtectionChange? {
        var draft = KeyDraft(context.memory)
        let isNew = await add(message, route, &draft)
        let change = draft.finish()
        if isNew { context.work.send() }
        return change
    }

    /// Stores a message that is opened later.
    ///
    /// - Returns: whether it does not wait already.
    @discardableResult
    func add(_ message: Message, _ route: ReceivedRoute, _ draft: inout KeyDraft) async -> Bool {
        guard let stanza = PostponedStanza(message, route, now: context.now()) else { return false }
        let waiting = try? await draft.values(beginningWith: PostponedStanza.prefix)
        guard let waiting, waiting.count < PostponedStanza.limit else { return false }
        let name = stanza.name(using: context.cryptography)
        draft.write(name, stanza.record)
        return waiting[name] == nil
    }
}

extension SessionRecorder {
    /// Opens and stores the messages that could not be opened before for a reason that does not last.
    ///
    /// - Returns: `false` if some still wait.
    @discardableResult
    func openPostponed(of encryption: EncryptionContext) async throws -> Bool {
        guard encryption.ownDevice.loaded != nil else { return true }
        let waiting = try await encryption.memory.values(beginningWith: PostponedStanza.prefix)
        for (name, record) in waiting.sorted(by: { $0.key < $1.key }) {
            try await open(try? PostponedStanza(record), named: name)
        }
        guard !waiting.isEmpty else { return true }
        return try await encryption.memory.values(beginningWith: PostponedStanza.prefix).isEmpty
    }

    private func open(_ stanza: PostponedStanza?, named name: String) async throws(StoreError) {
        var (step, meanings) = (ProtectionStep(protector), [MessageMeaning]())
        if let stanza {
            var reader = reader
            let route = reader.route(of: stanza.message, stanza.arrival, archive: stanza.archive)
            let content = await step.open(stanza.message, by: route)
            reader.keptContents = await keepContents(of: CollectionOfOne(content.message))
            meanings = reader.read(content, stanza.arrival)
        }
        try await keep(meanings, &step) { writer, account throws(StoreError) in
            try writer.save(ProtectionChange([.init(name, nil)]), of: account)
        }
    }
}
