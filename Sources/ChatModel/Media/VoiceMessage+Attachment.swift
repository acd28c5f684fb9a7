public import ChatStore
public import Media

extension VoiceMessage {
    /// Puts the voice message into the cache and describes it, so that a ``Composer`` can send it.
    ///
    /// It is pinned there: unpin it when it was sent.
    public func attachment(in cache: MediaCache) async throws(StoreError) -> Attachment {
        let hash = try await cache.insert(bytes)
        await cache.pin(hash)
        return Attachment(
            kind: .voice, mediaType: type.name, name: "voice.\(type.fileExtension)", size: Int64(bytes.count),
            duration: Int64(milliseconds), contentHash: hash.description, isLocal: true)
    }
}
