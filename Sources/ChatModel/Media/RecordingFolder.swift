public import ChatStore
internal import Foundation
public import Media

extension VoiceComposer {
    /// The folder for the recordings of one conversation, in every program. Its name is a hash: an address can hold characters that a
    /// file name cannot.
    public nonisolated static func folder(of key: ConversationKey, in media: MediaCache) -> String {
        let name = ContentHash(of: Array("\(key.kind.rawValue) \(key.address)".utf8)).description
        return "\(media.path)/recordings/\(name.prefix(nameLength))"
    }

    /// 128 bits of the hash: two addresses never meet, and the name is short enough for any file system.
    private nonisolated static let nameLength = 32
}

/// The folder in which recordings grow. Nothing here runs on the main actor.
struct RecordingFolder: Sendable {
    let path: String

    /// Makes the folder, and a recorder that writes to a file in it.
    func begin(
        _ file: String, _ make: @Sendable (String) throws(MediaError) -> VoiceRecorder
    ) async throws(MediaError) -> VoiceRecorder {
        // Where it cannot be made the recorder says so.
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try make(file)
    }

    /// The recordings that are here, oldest first; empty files are removed.
    ///
    /// - Parameter others: files that are in use.
    func recordings(besides others: Set<String>) async -> [VoiceComposer.Interrupted] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".ogg") }.sorted().compactMap { name in
            let file = path + "/" + name
            guard !others.contains(file) else { return nil }
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
            guard size > 0 else {
                try? FileManager.default.removeItem(atPath: file)
                return nil
            }
            return VoiceComposer.Interrupted(path: file, byteCount: size)
        }
    }

    func remove(_ file: String) async { try? FileManager.default.removeItem(atPath: file) }
}

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
