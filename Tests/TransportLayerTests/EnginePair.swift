@testable import TransportLayer

/// Two connected engines.
struct EnginePair: ~Copyable {
    var client: TLSEngine
    var server: TLSEngine
    /// The maximum number of bytes that are transferred at a time.
    var slice = Int.max

    /// Transfers bytes until neither engine has more.
    mutating func settle() throws(TransportError) -> (client: NegotiatedTLS, server: NegotiatedTLS) {
        for _ in 0..<100_000 {
            let own = try client.handshake()
            Self.carry(client.takeOutput(), slice) { server.append($0) }
            let other = try server.handshake()
            Self.carry(server.takeOutput(), slice) { client.append($0) }
            if case .established(let one) = own, case .established(let two) = other { return (one, two) }
        }
        throw TransportError(.tlsFailed, "The handshake does not end.")
    }

    /// Lets the client read what the server sends after the handshake: the session tickets of TLS 1.3.
    mutating func deliver() throws(TransportError) {
        try server.encrypt([1])
        let bytes = server.takeOutput()
        do {
            _ = try bytes.withUnsafeBytes { try client.decrypt($0) }
        } catch let error as TransportError { throw error } catch {}
    }

    private static func carry(_ bytes: [UInt8], _ slice: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { all in
            var rest = all
            while !rest.isEmpty {
                let count = min(rest.count, slice)
                body(UnsafeRawBufferPointer(rebasing: rest[..<count]))
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
