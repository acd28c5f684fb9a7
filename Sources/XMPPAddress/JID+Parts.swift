extension JID {
    /// The local part: the account or room; `nil` if there is none (RFC 7622 §3.3).
    public var local: String? {
        domainStart > start ? text(Int(start)..<Int(domainStart) - 1) : nil
    }

    /// The domain part: a name with its labels in Unicode, an IPv4 address, or an IPv6 address in brackets
    /// (RFC 7622 §3.2). For the form that DNS and TLS take, see ``asciiDomain``.
    public var domain: String {
        text(Int(domainStart)..<Int(domainEnd))
    }

    /// The resource part: the device or the nickname of an occupant; `nil` if there is none (RFC 7622 §3.4).
    public var resource: String? {
        end > domainEnd ? text(Int(domainEnd) + 1..<Int(end)) : nil
    }

    /// Whether there is no resource part.
    public var isBare: Bool { end == domainEnd }

    /// The address without its resource part. Shares the string of this one, so it costs no allocation.
    public var bare: JID {
        JID(
            storage: storage, start: Int(start), domainStart: Int(domainStart), domainEnd: Int(domainEnd),
            end: Int(domainEnd))
    }

    /// The domain part as an address of its own. Shares the string of this one, so it costs no allocation.
    public var domainJID: JID {
        JID(
            storage: storage, start: Int(domainStart), domainStart: Int(domainStart), domainEnd: Int(domainEnd),
            end: Int(domainEnd))
    }

    /// The same entity under another resource, such as an occupant of a room; `nil` gives the bare address.
    ///
    /// - Throws: ``AddressError`` if the resource is not valid.
    public func with(resource: String?) throws(AddressError) -> JID {
        guard let resource else { return bare }
        let prepared = try ResourcePart.prepare(resource)
        var string = bare.description
        let shift = Int(start)
        string += "/"
        string += prepared
        return JID(
            storage: string, domainStart: Int(domainStart) - shift, domainEnd: Int(domainEnd) - shift,
            end: string.utf8.count)
    }

    /// Calls a closure with the octets of the address as they go on the wire, before XML escaping.
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        let range = Int(start)..<Int(end)
        if let result = try storage.utf8.withContiguousStorageIfAvailable({ octets in
            try body(UnsafeBufferPointer(rebasing: octets[range]))
        }) {
            return result
        }
        return try Array(storage.utf8).withUnsafeBufferPointer { octets in
            try body(UnsafeBufferPointer(rebasing: octets[range]))
        }
    }

    /// Whether the storage holds nothing but this address.
    var isWhole: Bool { start == 0 && Int(end) == storage.utf8.count }

    private func text(_ range: Range<Int>) -> String {
        let utf8 = storage.utf8
        let first = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let last = utf8.index(first, offsetBy: range.count)
        return String(storage[first..<last])
    }
}

extension JID: CustomStringConvertible {
    /// The address as it goes on the wire, before XML escaping. Parsing it gives an equal address.
    public var description: String {
        isWhole ? storage : text(Int(start)..<Int(end))
    }
}
