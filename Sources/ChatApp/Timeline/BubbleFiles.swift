internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The files in a bubble: those of one message, or of all messages of an album.
final class BubbleFiles {
    /// Created for the first file: most messages have none.
    private(set) lazy var root = Box.vertical(spacing: 2)
    private(set) var views: [any AttachmentView] = []
    /// The lines of files without an address.
    private(set) var directLines: [DirectFileLine] = []
    private var shown: [Attachment] = []
    private let services: TimelineServices
    private weak var owner: (any TimelineOwner)?

    init(_ owner: (any TimelineOwner)?, _ services: TimelineServices) {
        self.owner = owner
        self.services = services
    }

    func show(_ messages: [TimelineMessage]) {
        let attachments = messages.flatMap(\.text.attachments)
        guard attachments != shown || views.count != attachments.count else { return }
        clear()
        shown = attachments
        let contexts = messages.flatMap(contexts)
        defer { showLines(of: contexts) }
        guard contexts.count > 1, attachments.allSatisfy(\.isVisual) else {
            for context in contexts { append(context, to: root) }
            return
        }
        var rest = contexts[...]
        for row in AlbumLayout.rows(contexts.count) {
            let line = Box.horizontal(spacing: AlbumLayout.gap)
            let tile = AlbumLayout.tile(row)
            for context in rest.prefix(row) { append(context, to: line, tile: tile) }
            rest = rest.dropFirst(row)
            root.append(line)
        }
    }

    private func contexts(_ message: TimelineMessage) -> [AttachmentContext] {
        let downloads = services.downloads()
        return message.text.attachments.enumerated().map { index, attachment in
            AttachmentContext(
                message: message, index: index, attachment: attachment, playback: services.playback,
                download: downloads?.download(of: message.id, at: index, attachment: attachment),
                open: { [weak owner] in owner?.actions.open($0, $1) },
                showToast: services.window.showToast)
        }
    }

    private func append(_ context: AttachmentContext, to box: Box, tile: (width: Int, height: Int)? = nil) {
        let view: any AttachmentView =
            switch context.attachment.kind {
            case .picture: PictureView(context, tile: tile)
            case .voice: VoiceView(context)
            case .video: VideoView(context, tile: tile)
            case .file: FileView(context)
            }
        views.append(view)
        box.append(view.root)
    }

    /// A file without an address goes from device to device, or is uploaded first.
    private func showLines(of contexts: [AttachmentContext]) {
        for context in contexts where context.attachment.url == nil {
            guard let download = context.download else { continue }
            let line = DirectFileLine(download)
            directLines.append(line)
            root.append(line.root)
        }
    }

    /// Called when the row may have become visible.
    func wake() { for view in views { view.wake() } }

    /// Called when the row is not visible any more.
    func clear() {
        guard !shown.isEmpty else { return }
        for view in views { view.clear() }
        views = []
        directLines = []
        shown = []
        root.removeAll()
    }

    /// In pixels: wide enough for a few words under a small picture.
    private static let minimumCaptionWidth = 200

    /// The width of a text under pictures, in pixels; `nil` when its own width is right.
    static func captionWidth(_ attachments: [Attachment]) -> Int? {
        guard attachments.first?.isVisual == true else { return nil }
        if attachments.count > 1 { return AlbumLayout.width }
        return max(minimumCaptionWidth, attachments.map { Int(PictureView.size($0).width) }.max() ?? 0)
    }
}

extension Attachment {
    /// Whether it is shown as a picture.
    var isVisual: Bool { kind == .picture || kind == .video }
}

/// The arrangement of several pictures in a bubble: rows of two or three.
enum AlbumLayout {
    /// In pixels.
    static let (width, gap) = (320, 2)

    /// How many pictures each row has.
    static func rows(_ count: Int) -> [Int] {
        switch count {
        case ...1: Array(repeating: 1, count: max(0, count))
        case 2, 4: Array(repeating: 2, count: count / 2)
        case 3: [1, 2]
        default:
            switch count % 3 {
            case 0: Array(repeating: 3, count: count / 3)
            case 1: [2, 2] + Array(repeating: 3, count: (count - 4) / 3)
            default: [2] + Array(repeating: 3, count: (count - 2) / 3)
            }
        }
    }

    /// The size of a picture in a row of that many.
    static func tile(_ count: Int) -> (width: Int, height: Int) {
        let side = (width - gap * (count - 1)) / max(1, count)
        return (side, count == 1 ? width * 9 / 16 : side)
    }
}
