/// Key bytes that are overwritten when the last reference to them is gone.
///
/// Swift may have copied the bytes before, for example into registers or a spilled stack slot; those copies are out of
/// reach. Neither description nor reflection shows the bytes.
///
/// `@unchecked Sendable`: the bytes are written only by `deinit`, when there is no other reference.
public final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    private var storage: [UInt8]

    /// Takes over `bytes`; the caller should not keep another copy.
    public init(_ bytes: consuming [UInt8]) { storage = bytes }

    /// The bytes, for the call of a cryptographic operation. Storing them elsewhere defeats the type.
    public var bytes: [UInt8] { storage }

    public var description: String { "\(storage.count) secret bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    deinit { SecretBytes.erase(&storage) }

    /// Overwrites the elements in place. Not optimised, because the compiler would remove writes that are never read.
    @inline(never)
    @_optimize(none)
    static func erase(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { buffer in
            for index in buffer.indices { buffer[index] = 0 }
        }
    }
}
