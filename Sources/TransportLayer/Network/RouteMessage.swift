/// A message of the kernel's routing socket (netlink(7), rtnetlink(7)), reduced to the parts that are needed here.
///
/// All numbers are in the byte order of the machine. A message is a header (length, type, flags, sequence number,
/// port), a structure that depends on the type, and attributes; each is aligned to four bytes.
struct RouteMessage: Sendable, Hashable {
    /// A network interface.
    struct Link: Sendable, Hashable {
        var index: Int32
        /// Whether it is up and has a carrier.
        var isUsable: Bool
        var isLoopback: Bool
    }

    struct Address: Sendable, Hashable {
        var interface: Int32
        /// 4 or 16 bytes.
        var bytes: [UInt8]
        /// Whether it works in other networks and is not tentative (RFC 4862 §5.4).
        var isGlobal: Bool
    }

    /// A default route of the main table.
    struct Route: Sendable, Hashable {
        var interface: Int32
        var isIPv6: Bool
        /// Empty for a point-to-point link.
        var gateway: [UInt8]
        var metric: UInt32
    }

    enum Content: Sendable, Hashable {
        case link(Link)
        case address(Address)
        case route(Route)
        /// The end of a list.
        case done
        /// The kernel refused a request; `errno`.
        case failed(Int32)
        /// Irrelevant: a removal (it announces a change, but says nothing about what is left), another route, another
        /// type.
        case other
    }

    var content: Content
    /// The sequence number of the request.
    var sequence: UInt32
    /// The port of the requesting socket; 0 or another one for unsolicited messages.
    var port: UInt32
    /// The list changed while it was sent, so it may be wrong.
    var isInterrupted: Bool

    /// The messages in one read of the socket. Truncated messages, and those with a length below the minimum, are
    /// ignored.
    static func parse(_ bytes: [UInt8]) -> [RouteMessage] {
        var messages: [RouteMessage] = []
        var rest = NetlinkBytes(bytes[...])
        while let length = rest.number(at: 0), length >= NetlinkBytes.headerLength, length <= rest.count,
            let type = rest.short(at: 4), let flags = rest.short(at: 6), let sequence = rest.number(at: 8),
            let port = rest.number(at: 12)
        {
            let body = rest.part(from: NetlinkBytes.headerLength, to: Int(length))
            messages.append(
                RouteMessage(
                    content: content(type, body), sequence: sequence, port: port,
                    isInterrupted: flags & NetlinkBytes.interrupted != 0))
            rest = rest.part(from: NetlinkBytes.aligned(Int(length)), to: rest.count)
        }
        return messages
    }

    private static func content(_ type: UInt16, _ body: NetlinkBytes) -> Content {
        switch type {
        case 2: .failed(body.number(at: 0).map { Int32(bitPattern: $0) &* -1 } ?? 0)
        case 3: .done
        case 16: link(body).map { .link($0) } ?? .other
        case 20: address(body).map { .address($0) } ?? .other
        case 24: route(body).map { .route($0) } ?? .other
        default: .other
        }
    }

    /// `ifinfomsg`: family, type, index, flags.
    private static func link(_ body: NetlinkBytes) -> Link? {
        guard let index = body.number(at: 4), let flags = body.number(at: 8), body.count >= 16 else { return nil }
        // IFF_UP and IFF_RUNNING; IFF_LOOPBACK.
        return Link(index: Int32(bitPattern: index), isUsable: flags & 0x41 == 0x41, isLoopback: flags & 8 != 0)
    }

    /// `ifaddrmsg`: family, length of the prefix, flags, scope, interface.
    private static func address(_ body: NetlinkBytes) -> Address? {
        guard let family = body.byte(at: 0), let shortFlags = body.byte(at: 2), let scope = body.byte(at: 3),
            let interface = body.number(at: 4)
        else { return nil }
        let attributes = body.attributes(from: 8)
        // IFA_LOCAL is our end of a point-to-point link; IFA_ADDRESS is the peer's there, and ours otherwise.
        guard let bytes = attributes[2] ?? attributes[1], bytes.count == (family == 10 ? 16 : 4) else { return nil }
        let flags = attributes[8]?.number(at: 0) ?? UInt32(shortFlags)
        // RT_SCOPE_UNIVERSE or a site scope; neither IFA_F_TENTATIVE nor IFA_F_DADFAILED.
        let isGlobal = scope < 253 && flags & 0x48 == 0
        return Address(interface: Int32(bitPattern: interface), bytes: bytes.array, isGlobal: isGlobal)
    }

    /// `rtmsg`: family, lengths of destination and source, service, table, protocol, scope, type, flags.
    private static func route(_ body: NetlinkBytes) -> Route? {
        guard let family = body.byte(at: 0), let length = body.byte(at: 1), let table = body.byte(at: 4),
            let type = body.byte(at: 7), let flags = body.number(at: 8), family == 2 || family == 10
        else { return nil }
        let attributes = body.attributes(from: 12)
        // RTN_UNICAST to all destinations in RT_TABLE_MAIN; RTM_F_CLONED routes are only cached.
        guard length == 0, type == 1, attributes[15]?.number(at: 0) ?? UInt32(table) == 254, flags & 0x200 == 0,
            let interface = attributes[4]?.number(at: 0)
        else { return nil }
        return Route(
            interface: Int32(bitPattern: interface), isIPv6: family == 10, gateway: attributes[5]?.array ?? [],
            metric: attributes[6]?.number(at: 0) ?? 0)
    }
}

/// The bytes of a netlink message; reading beyond their end returns `nil`.
struct NetlinkBytes {
    /// `nlmsghdr`.
    static let headerLength = 16
    /// NLM_F_DUMP_INTR.
    static let interrupted: UInt16 = 0x10
    /// NLM_F_REQUEST and NLM_F_DUMP.
    static let listRequest: UInt16 = 0x301

    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }
    var array: [UInt8] { Array(bytes) }

    func byte(at offset: Int) -> UInt8? {
        offset < count ? bytes[bytes.startIndex + offset] : nil
    }

    func short(at offset: Int) -> UInt16? {
        load(offset, 2).map { UInt16(truncatingIfNeeded: $0) }
    }

    func number(at offset: Int) -> UInt32? {
        load(offset, 4)
    }

    /// In the byte order of the machine.
    private func load(_ offset: Int, _ size: Int) -> UInt32? {
        guard offset + size <= count else { return nil }
        let start = bytes.startIndex + offset
        let isLittle = UInt16(littleEndian: 1) == 1
        let part = bytes[start..<start + size]
        return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | UInt32($1) }
    }

    func part(from start: Int, to end: Int) -> NetlinkBytes {
        let end = min(end, count)
        guard start < end else { return NetlinkBytes([]) }
        return NetlinkBytes(bytes[bytes.startIndex + start..<bytes.startIndex + end])
    }

    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

    /// The attributes from `offset` on, by their type (`rtattr`: length, type, value). The first of a type counts.
    func attributes(from offset: Int) -> [UInt16: NetlinkBytes] {
        var found: [UInt16: NetlinkBytes] = [:]
        var rest = part(from: offset, to: count)
        while let length = rest.short(at: 0), length >= 4, Int(length) <= rest.count, let type = rest.short(at: 2) {
            // The two highest bits are flags about the value.
            let key = type & 0x3FFF
            if found[key] == nil { found[key] = rest.part(from: 4, to: Int(length)) }
            rest = rest.part(from: Self.aligned(Int(length)), to: rest.count)
        }
        return found
    }

    /// A request for a list. The structure of the type follows the header and is zero except for the family: all
    /// families.
    static func listRequest(type: UInt16, bodyLength: Int, sequence: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        }
        append(UInt32(headerLength + bodyLength))
        append(type)
        append(listRequest)
        append(sequence)
        append(UInt32(0))
        return bytes + [UInt8](repeating: 0, count: bodyLength)
    }
}
