import Glibc

/// The few socket calls that fixtures need, on 127.0.0.1 only.
enum LoopbackSocket {
    static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    static func make(nonBlocking: Bool = false) throws(FixtureError) -> Int32 {
        let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
        let descriptor = socket(AF_INET, Int32(flags), 0)
        guard descriptor >= 0 else { throw .system("Cannot make a socket", errno: errno) }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    /// For descriptors from calls without these flags: non-blocking, and not inherited by child processes.
    static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Connects, or starts to: a non-blocking socket is still connecting when this returns true.
    static func connect(_ descriptor: Int32, port: UInt16) -> Bool {
        var address = address(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 { return true }
        // A blocking socket has the same error on a timeout.
        return errno == EINPROGRESS && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
    }

    /// A listening socket; with port 0 the system selects one.
    static func listen(
        port: UInt16, nonBlocking: Bool = false, backlog: Int32 = 64
    ) throws(FixtureError) -> Int32 {
        let descriptor = try make(nonBlocking: nonBlocking)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = address(port)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard bound, Glibc.listen(descriptor, backlog) == 0 else {
            let number = errno
            close(descriptor)
            throw .system("Cannot listen on 127.0.0.1:\(port)", errno: number)
        }
        return descriptor
    }
}
