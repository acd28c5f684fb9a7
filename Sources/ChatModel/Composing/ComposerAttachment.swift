public import ChatStore

/// A file that waits in the composer, with what a person wants to know before sending it.
public struct ComposerAttachment: Identifiable, Hashable, Sendable {
    public let id: Int
    /// What is sent of it: kind, type, size, pixels, duration, thumbnail, and by which hash its content is kept.
    public var attachment: Attachment

    /// The name and size are shown before sending.
    public var byteCount: Int64 { attachment.size ?? 0 }
}
