internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// The avatar of a contact or a room; shows initials until the picture is loaded.
final class AvatarImage {
    let widget: AvatarView
    private let avatars: AvatarLoader
    /// The hash of the picture that is shown.
    private(set) var hash: String?
    private var name = ""
    private var identity: String?
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
    ///   - identity: determines the colour, which stays when the name changes: the address of a person or a room, the
    ///     nickname of an occupant.
    ///   - isRoom: rooms have another shape than people.
    func show(name: String, hash: String?, of identity: String, isRoom: Bool = false) {
        if name != self.name || identity != self.identity {
            (self.name, self.identity) = (name, identity)
            widget.show(name: name, colourOf: identity)
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

extension ConversationKey {
    /// What the colour of its picture is made of: for an occupant of a room the nickname, as in the room.
    var colourIdentity: String {
        kind == .occupant ? address.resource ?? address.description : address.description
    }
}
