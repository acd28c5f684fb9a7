internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// The avatar of a contact or a room; shows initials until the picture is loaded.
final class AvatarImage {
    let widget: AvatarView
    private let avatars: AvatarLoader
    private var hash: String?
    private var name = ""
    private var address: String?
    private var loading: Task<Void, Never>?

    /// Decoded pictures by hash: as many as a few screens show.
    private static var textures: [String: Texture] = [:]
    private static let textureLimit = 200

    init(_ avatars: AvatarLoader, size: Int) {
        self.avatars = avatars
        widget = AvatarView(size: size)
    }

    /// - Parameters:
    ///   - hash: of the picture; `nil` for none.
    ///   - address: of the person or room, which determines the colour: it stays when the name changes.
    ///   - isRoom: rooms have another shape than people.
    func show(name: String, hash: String?, of address: String? = nil, isRoom: Bool = false) {
        if name != self.name || address != self.address {
            (self.name, self.address) = (name, address)
            widget.show(name: name, colourOf: address)
        }
        widget.css("room", isRoom)
        guard hash != self.hash else { return }
        self.hash = hash
        loading?.cancel()
        guard let hash else { return widget.show(nil as Texture?) }
        if let texture = Self.textures[hash] { return widget.show(texture) }
        widget.show(nil as Texture?)
        // The widget of a row may live longer than this object.
        loading = Task { [widget, avatars] in
            guard let avatar = await avatars.avatar(hash), !Task.isCancelled else { return }
            guard let texture = await Texture.decoded(avatar.data), !Task.isCancelled else { return }
            if Self.textures.count >= Self.textureLimit { Self.textures.removeAll() }
            Self.textures[hash] = texture
            widget.show(texture)
        }
    }
}
