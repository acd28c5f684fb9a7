import Glibc

/// The addresses of this machine in its networks.
package enum LocalAddress {
    /// Those of the interfaces that are up, IPv4 first; the port is 0.
    package static func all() -> [SocketAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_UP) != 0, let address = entry.ifa_addr else { continue }
            let length: Int
            switch Int32(address.pointee.sa_family) {
            case AF_INET: length = MemoryLayout<sockaddr_in>.size
            case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
            default: continue
            }
            if let known = SocketAddress(address, length: socklen_t(length)), !found.contains(known) {
                found.append(known)
            }
        }
        return found.sorted { !$0.isIPv6 && $1.isIPv6 }
    }
}
