/// A file that was fetched, checked and stored.
public struct ReceivedFile: Sendable, Equatable {
    /// Where it is stored, under a name that is safe.
    public var path: String
    public var byteCount: UInt64
    public var sha256: [UInt8]
    /// What the sender said of it.
    public var metadata: FileMetadata
    /// Whether the sender gave a hash that could be checked. One that did not match is an error, never a file.
    public var isVerified: Bool
}
