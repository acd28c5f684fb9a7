public import ChatStore
internal import Media

/// The pictures of people for the rows that show them: read when they are needed, the last ones kept in memory.
///
/// Rows carry the hash of a picture, so a list of thousands costs no more than what is on the screen. A picture comes scaled down, and
/// decoded within `PictureLimits`: a few kilobytes from a contact can claim a size that fills all memory when they are shown as they are.
@MainActor
public final class AvatarLoader {
    /// A screen of pictures, several times over: 8 MiB.
    public static let memoryLimit = 8 << 20

    /// Pixels of the longest side: the largest picture of a person on a contact page, on a screen with double resolution.
    public static let side = 256

    private let store: any LocalStore
    private let limit: Int
    private var pictures: [String: StoredAvatar] = [:]
    /// The longest unused first.
    private var order: [String] = []
    private var size = 0
    private var loading: [String: Task<StoredAvatar?, Never>] = [:]

    public init(store: any LocalStore, memoryLimit: Int = AvatarLoader.memoryLimit) {
        self.store = store
        limit = memoryLimit
    }

    /// The picture if it is in memory: for a row that is bound and must not flicker.
    public func cached(_ hash: String) -> StoredAvatar? {
        guard let avatar = pictures[hash] else { return nil }
        use(hash)
        return avatar
    }

    /// The picture with that hash, at most ``side`` pixels wide and high; `nil` where it is not here or cannot be shown.
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
        if let avatar { keep(avatar) }
        return avatar
    }

    private func keep(_ avatar: StoredAvatar) {
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
