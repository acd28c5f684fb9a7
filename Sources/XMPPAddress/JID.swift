/// An XMPP address, `[local@]domain[/resource]`, which is parsed and prepared once and is always canonical (RFC 7622).
///
/// A value is always valid: each part has passed the profile that RFC 7622 §3 names for it, so two addresses of the
/// same entity are equal, have the same hash and the same description.
///
///     let room = try JID("Coven@Chat.Shakespeare.example/Third Witch")
///     room.local      // "coven"
///     room.domain     // "chat.shakespeare.example"
///     room.resource   // "Third Witch": resources keep their case
///     room.bare       // coven@chat.shakespeare.example
///
/// The value is one string and four offsets. ``bare`` and ``domainJID`` share the string, so they allocate nothing.
public struct JID: Sendable {
    /// The maximum length of each part, in octets of UTF-8 after preparation (RFC 7622 §3.1).
    public static let maximumPartLength = 1023

    /// The maximum length of a part before preparation, in octets.
    ///
    /// Preparation shortens text to a third at most (a fullwidth letter of three octets becomes one), so anything
    /// longer can be refused without preparing it.
    static let maximumUnpreparedPartLength = 4 * maximumPartLength

    /// The address, possibly with other text before `start` and after `end`.
    let storage: String
    /// The start of the address in the storage: after the local part for a ``domainJID``.
    let start: UInt16
    /// The start of the domain part: equal to `start` if there is no local part.
    let domainStart: UInt16
    /// The end of the domain part.
    let domainEnd: UInt16
    /// The end of the address: equal to `domainEnd` if there is no resource part.
    let end: UInt16

    init(storage: String, start: Int = 0, domainStart: Int, domainEnd: Int, end: Int) {
        self.storage = storage
        self.start = UInt16(truncatingIfNeeded: start)
        self.domainStart = UInt16(truncatingIfNeeded: domainStart)
        self.domainEnd = UInt16(truncatingIfNeeded: domainEnd)
        self.end = UInt16(truncatingIfNeeded: end)
    }

    /// Parses an address: split at the first `/`, then at the first `@` before it (RFC 7622 §3.1).
    ///
    /// - Throws: ``AddressError`` if any part is invalid. No part is ever dropped or repaired.
    public init(_ string: String) throws(AddressError) {
        let layout: ASCIIAddress? = string.utf8.withContiguousStorageIfAvailable { ASCIIAddress($0) } ?? nil
        if let layout {
            self.init(ascii: string, layout)
        } else {
            try self.init(splitting: string)
        }
    }

    /// Parses an address from the octets of an XML attribute.
    ///
    /// An ASCII address takes one pass over the octets and at most one allocation.
    public init(utf8 octets: UnsafeBufferPointer<UInt8>) throws(AddressError) {
        if let layout = ASCIIAddress(octets) {
            self.init(ascii: String(decoding: octets, as: UTF8.self), layout)
            return
        }
        let string = String(decoding: octets, as: UTF8.self)
        // Decoding repairs invalid UTF-8; a repaired string differs from its octets.
        guard string.utf8.elementsEqual(octets) else { throw AddressError(.whole, .invalidUTF8) }
        try self.init(splitting: string)
    }

    /// Creates an address from its parts; each is prepared like a part of a parsed address.
    ///
    /// A part that is `nil` is absent; a part that is empty is an error (RFC 7622 §3.3.1, §3.4.1).
    public init(local: String? = nil, domain: String, resource: String? = nil) throws(AddressError) {
        var storage = ""
        if let local {
            storage = try LocalPart.prepare(local)
            storage += "@"
        }
        let domainStart = storage.utf8.count
        storage += try DomainPart.prepare(domain)
        let domainEnd = storage.utf8.count
        if let resource {
            storage += "/"
            storage += try ResourcePart.prepare(resource)
        }
        let end = storage.utf8.count
        self.init(storage: storage, domainStart: domainStart, domainEnd: domainEnd, end: end)
    }

    private init(ascii string: String, _ layout: ASCIIAddress) {
        self.init(
            storage: layout.hasUppercase ? Self.lowercased(string, upTo: layout.domainEnd) : string,
            domainStart: layout.domainStart, domainEnd: layout.domainEnd, end: layout.end)
    }

    /// An ASCII string with its first octets in lower case.
    private static func lowercased(_ string: String, upTo end: Int) -> String {
        var octets = Array(string.utf8)
        for index in 0..<end { octets[index] = octets[index].asciiLowercased }
        return String(decoding: octets, as: UTF8.self)
    }

    private init(splitting string: String) throws(AddressError) {
        guard !string.isEmpty else { throw AddressError(.whole, .empty) }
        var rest = string[...]
        var resource: String?
        if let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) {
            resource = String(rest[rest.utf8.index(after: slash)...])
            rest = rest[..<slash]
        }
        var local: String?
        if let at = rest.utf8.firstIndex(of: UInt8(ascii: "@")) {
            local = String(rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        }
        try self.init(local: local, domain: String(rest), resource: resource)
    }
}

extension JID: Codable {
    /// Decodes an address from one string and prepares it again: the stored form may be older than these rules.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let string = try container.decode(String.self)
        do {
            try self.init(string)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error))
        }
    }

    /// Encodes the address as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
