internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// The round picture of a person or a room, or its initials until the picture is read.
final class PersonPicture {
    let widget: AvatarView
    private let avatars: AvatarLoader
    private var hash: String?
    private var name = ""
    private var loading: Task<Void, Never>?

    /// Pictures as they are painted, by their hash; as many as a few screens show.
    private static var textures: [String: Texture] = [:]
    private static let textureLimit = 200

    init(_ avatars: AvatarLoader, size: Int) {
        self.avatars = avatars
        widget = AvatarView(size: size)
    }

    /// - Parameter hash: of the picture; `nil` where there is none.
    func show(name: String, hash: String?) {
        if name != self.name {
            self.name = name
            widget.show(name: name)
        }
        guard hash != self.hash else { return }
        self.hash = hash
        loading?.cancel()
        guard let hash else { return widget.show(nil as Texture?) }
        if let texture = Self.textures[hash] { return widget.show(texture) }
        widget.show(nil as Texture?)
        // A picture in a row lives as long as its widget, which may be longer than this object.
        loading = Task { [widget, avatars] in
            guard let avatar = await avatars.avatar(hash), !Task.isCancelled else { return }
            guard let texture = await Texture.decoded(avatar.data), !Task.isCancelled else { return }
            if Self.textures.count >= Self.textureLimit { Self.textures.removeAll() }
            Self.textures[hash] = texture
            widget.show(texture)
        }
    }
}
