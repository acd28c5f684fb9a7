internal import MessageSemantics
internal import OMEMO
internal import XMLStreaming
internal import XMPPAddress

/// Whether messages are encrypted.
public enum EncryptionPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// A message that cannot be encrypted is not sent.
    case always
    /// Encrypted as soon as all receivers can read it; from then on it is as with ``always``.
    case whenPossible
    /// In clear.
    case never
}

/// The encryption settings and state of one conversation.
struct ConversationEncryption: Sendable, Hashable {
    private static let prefix = "omemo/conversation/"
    private static let version: UInt8 = 3

    /// `nil` is the account's.
    var policy: EncryptionPolicy?
    /// Whether a message in it was encrypted: nothing is sent in clear any more unless the user decides so.
    var wasEncrypted = false
    /// When the first one was sent, in seconds since 1970; `nil` if that is not known.
    var began: Int64?
    /// When the other account has asked for messages without encryption (XEP-0384 §5.7), in seconds since 1970; `nil` if it
    /// has not, or the person has decided. Until then nothing is sent.
    var optOut: Int64?

    static func name(_ conversation: ConversationAddress) -> String {
        "\(prefix)\(conversation.kind)/\(conversation.address)"
    }

    /// The address in the name of a record.
    static func address(inName name: String) -> JID? {
        guard name.hasPrefix(prefix) else { return nil }
        return try? JID(String(name.dropFirst(prefix.count).drop { $0 != "/" }.dropFirst()))
    }

    init() {}

    init(_ bytes: [UInt8]) throws(ProtectionError) {
        // Version 1 had no time, version 2 no opt-out.
        let version = bytes.first.flatMap { (1...2).contains($0) ? $0 : nil } ?? Self.version
        var reader = try RecordReader(bytes, version: version)
        policy = EncryptionPolicy(rawValue: String(decoding: try reader.field(), as: UTF8.self))
        wasEncrypted = try reader.byte() == 1
        if version > 1, try reader.byte() == 1 { began = try reader.time() }
        if version > 2, try reader.byte() == 1 { optOut = try reader.time() }
        try reader.end()
    }

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.write(Array((policy?.rawValue ?? "").utf8))
        writer.write(UInt8(wasEncrypted ? 1 : 0))
        writer.write(UInt8(began == nil ? 0 : 1))
        if let began { writer.write(began) }
        writer.write(UInt8(optOut == nil ? 0 : 1))
        if let optOut { writer.write(optOut) }
        return writer.bytes
    }

    /// Whether a message that cannot be encrypted may be sent in clear.
    func allowsClear(_ standard: EncryptionPolicy) -> Bool {
        switch policy ?? standard {
        case .always: false
        case .whenPossible: !wasEncrypted
        case .never: true
        }
    }
}

/// The request of an account for messages without encryption (XEP-0384 §5.7). It is inside an envelope.
///
/// ```
/// <opt-out xmlns='urn:xmpp:omemo:2'><reason>Our archive must have it.</reason></opt-out>
/// ```
enum OptOut {
    static let name = XMLName("opt-out", OMEMOGeneration.current.namespace)
    /// Characters of a reason: some sentences.
    private static let reasonLimit = 1_000

    /// What the other person says about it; `nil` for nothing.
    static func reason(in element: XMLElement) -> String? {
        guard let text = element.firstChild(XMLName("reason", name.namespace))?.text else { return nil }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(reasonLimit)
        return words.isEmpty ? nil : String(words)
    }
}
