import Glibc
import Testing

@testable import TransportLayer

/// A TCP port that refuses connections while this object exists: bound, so that no other process gets it, but not
/// listening.
final class DeadPort: Sendable {
    let address: SocketAddress
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        _ = try Loopback.address().withSockaddr { bind(descriptor, $0, $1) }
        address = try #require(SocketAddress(of: descriptor, getsockname))
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
