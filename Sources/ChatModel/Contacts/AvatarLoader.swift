public import ChatStore
internal import Media

/// Loads the avatars for the rows that show them, and caches the last ones in memory.
///
/// Rows hold the hash of an avatar, so a list of thousands costs no more than what is on the screen. Avatars are scaled
/// down, and decoded within `PictureLimits`: a picture of a few kilobytes can claim dimensions that would fill all
/// memory.
@MainActor
public final class AvatarLoader {
    /// Several screens of avatars: 8 MiB.
    public static let memoryLimit = 8 << 20

    /// The longest side in pixels: the largest avatar, on a contact page, on a screen with a scale factor of 2.
    public static let side = 256

    private let store: any LocalStore
    private let limit: Int
    private var pictures: [String: StoredAvatar] = [:]
    /// Least recently used first.
    private var order: [String] = []
    private var size = 0
    private var loading: [String: Task<StoredAvatar?, Never>] = [:]

    public init(store: any LocalStore, memoryLimit: Int = AvatarLoader.memoryLimit) {
        self.store = store
        limit = memoryLimit
    }

    /// The avatar if it is in memory, for a row that must not flicker.
    public func cached(_ hash: String) -> StoredAvatar? {
        guard let avatar = pictures[hash] else { return nil }
        use(hash)
        return avatar
    }

    /// The avatar with that hash, at most ``side`` pixels wide and high; `nil` if it is not stored or cannot be
    /// decoded.
    public func avatar(_ hash: String) async -> StoredAvatar? {
        if let avatar = cached(hash) { return avatar }
        if let task = loading[hash] { return await task.value }
        let task = Task { [store] () -> StoredAvatar? in
            let found = try? await store.read { reader throws(StoreError) in try reader.avatar(hash: hash) }
            guard let avatar = found ?? nil, let small = try? await Picture.thumbnail(of: avatar.data, max: Self.side)
            else { return nil }
            return StoredAvatar(hash: avatar.hash, mediaType: small.type.description, data: small.bytes)
        }
        loading[hash] = task
        let avatar = await task.value
        loading[hash] = nil
        if let avatar { insert(avatar) }
        return avatar
    }

    private func insert(_ avatar: StoredAvatar) {
        guard pictures[avatar.hash] == nil, avatar.data.count <= limit else { return }
        pictures[avatar.hash] = avatar
        order.append(avatar.hash)
        size += avatar.data.count
        while size > limit, let oldest = order.first {
            order.removeFirst()
            size -= pictures.removeValue(forKey: oldest)?.data.count ?? 0
        }
    }

    private func use(_ hash: String) {
        if let index = order.firstIndex(of: hash) { order.append(order.remove(at: index)) }
    }
}
