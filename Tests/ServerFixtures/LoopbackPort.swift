import Glibc
import Synchronization

/// An unused TCP port of the loopback addresses that no other test process selects.
///
/// The configuration of a server contains a number, so the system cannot select the port. The numbers are below the
/// range of ports for outgoing connections (32768 and up), and a selected one is claimed for the life of this process
/// by binding an abstract Unix socket of that name, which other test processes see.
enum LoopbackPort {
    private static let range: ClosedRange<UInt16> = 20_000...32_000
    private static let claims = Mutex<[UInt16: Int32]>([:])
    /// More failures than this have another cause.
    private static let maximumAttempts = 500

    static func claim() throws(FixtureError) -> UInt16 {
        for _ in 0..<maximumAttempts {
            let port = UInt16.random(in: range)
            guard let marker = mark(port) else { continue }
            guard isFree(port) else {
                close(marker)
                continue
            }
            claims.withLock { $0[port] = marker }
            return port
        }
        throw FixtureError(.system, "No free loopback port was found in \(range).")
    }

    static func claim(_ count: Int) throws(FixtureError) -> [UInt16] {
        var ports: [UInt16] = []
        for _ in 0..<count { ports.append(try claim()) }
        return ports
    }

    static func release(_ ports: [UInt16]) {
        claims.withLock { claims in
            for port in ports {
                if let marker = claims.removeValue(forKey: port) { close(marker) }
            }
        }
    }

    /// Binds the abstract socket of a port; `nil` if another process has it.
    private static func mark(_ port: UInt16) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array("\0hongyan-port-\(port)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard bound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func isFree(_ port: UInt16) -> Bool {
        guard let descriptor = try? LoopbackSocket.listen(port: port) else { return false }
        close(descriptor)
        return true
    }
}
