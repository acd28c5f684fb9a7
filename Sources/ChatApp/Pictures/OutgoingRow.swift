internal import ChatModel
internal import GTKBinding
internal import Localization

/// One file that is about to be sent.
final class OutgoingRow {
    let root: Widget
    var onRemove: () -> Void = {}
    private let details = Label().css("dim-label", "caption").textAlignment(0)
    private let picture: PictureWidget?

    /// The place of the only picture, and of one among several, in pixels.
    private static let (large, small) = (220, 56)

    init(_ item: OutgoingSelection.Item) {
        let name = Label(item.name).ellipsize(inMiddle: true).textAlignment(0)
        let remove = Button(icon: "user-trash-symbolic").css("flat", "circular").align(vertical: .center)
        remove.named(localized("Do not send %@", item.name))
        let texts = Box.vertical(name, details).expand(.horizontal).align(vertical: .center)
        if let choice = item.picture {
            let picture = PictureWidget()
            if let preview = choice.preview { Task { picture.show(await Texture.decoded(preview.bytes)) } }
            picture.show(alternative: localized("Picture: %@", item.name))
            picture.css("photo").clipped()
            self.picture = picture
            root = Box.horizontal(spacing: 12, picture, texts, remove).margins(horizontal: 10, vertical: 8)
        } else {
            picture = nil
            let icon = Icon("text-x-generic-symbolic", size: 32).minimumSize(width: Self.small, height: Self.small)
            root = Box.horizontal(spacing: 12, icon, texts, remove).margins(horizontal: 10, vertical: 8)
        }
        remove.onClick { [weak self] in self?.onRemove() }
    }

    func show(_ item: OutgoingSelection.Item, _ quality: PictureChoice.Quality, isAlone: Bool) {
        let bytes = Int64(item.picture?.byteCount(in: quality) ?? item.byteCount)
        if let picture = item.picture?.picture {
            details.text = "\(picture.width) × \(picture.height), \(Wording.size(bytes))"
        } else {
            details.text = Wording.size(bytes)
        }
        let side = isAlone ? Self.large : Self.small
        picture?.minimumSize(width: side, height: side)
        picture?.covers(!isAlone)
    }
}
