import CEpoll
import Glibc

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address as text: `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`.
    public let address: String
    public let port: UInt16
    public let isIPv6: Bool
    private let bytes: [UInt8]

    /// Parses a literal address, IPv6 with or without brackets; `nil` for anything else, such as a host name.
    public init?(_ literal: String, port: UInt16) {
        var text = literal
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        var hints = addrinfo()
        // Numeric only: never sends a query, so it cannot block.
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(text, String(port), &hints, &list) == 0, let list else { return nil }
        defer { freeaddrinfo(list) }
        // `getaddrinfo` also accepts "1" and "127.1"; an address has three dots or a colon.
        guard text.contains(":") || text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 3,
            let pointer = list.pointee.ai_addr
        else { return nil }
        self.init(pointer, length: list.pointee.ai_addrlen)
    }

    /// Copies a system address; `nil` for other families.
    init?(_ pointer: UnsafePointer<sockaddr>, length: socklen_t) {
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET: isIPv6 = false
        case AF_INET6: isIPv6 = true
        default: return nil
        }
        bytes = [UInt8](UnsafeRawBufferPointer(start: pointer, count: Int(length)))
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(pointer, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        address = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The port has the same position in both families, in network order.
        port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// The local or remote address of a socket.
    init?(
        of descriptor: Int32, _ query: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address: SocketAddress? = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                query(descriptor, pointer, &length) == 0 ? SocketAddress(pointer, length: length) : nil
            }
        }
        guard let address else { return nil }
        self = address
    }

    var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

    public var description: String {
        isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// The 4 or 16 bytes of the address in network order; `nil` if it has a zone, which only means something here.
    var addressBytes: [UInt8]? {
        guard !address.contains("%") else { return nil }
        return isIPv6 ? Array(bytes[8..<24]) : Array(bytes[4..<8])
    }

    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
        bytes.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: sockaddr.self) { buffer in
                buffer.baseAddress.map { body($0, socklen_t(raw.count)) }
            }
        }
    }
}

extension SocketAddress {
    /// Reads the 4 or 16 bytes of an address in a certificate.
    init?(networkBytes: [UInt8]) {
        switch networkBytes.count {
        case 4: self.init(networkBytes.map(String.init).joined(separator: "."), port: 0)
        case 16:
            let groups = stride(from: 0, to: 16, by: 2).map {
                String(UInt16(networkBytes[$0]) << 8 | UInt16(networkBytes[$0 + 1]), radix: 16)
            }
            self.init(groups.joined(separator: ":"), port: 0)
        default: return nil
        }
    }
}
