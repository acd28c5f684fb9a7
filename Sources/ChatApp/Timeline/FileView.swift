internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization

/// A file in a bubble: name, size, and a button that downloads or opens it.
final class FileView: AttachmentView {
    let root: Widget
    private let context: AttachmentContext
    private let progress = ProgressRing()
    private let detail = Label().textAlignment(0).css("caption")
    private let icon = Icon("text-x-generic-symbolic", size: 28)
    private let button: Button

    /// - Parameter characters: the longest part of the name that is shown.
    init(_ context: AttachmentContext, characters: Int = 32) {
        self.context = context
        let name = context.attachment.name ?? localized("File")
        let column = Box.vertical(
            Label(name).ellipsize(inMiddle: true).textAlignment(0).characters(maximum: characters), detail
        ).align(vertical: .center)
        button = Button(Box.horizontal(spacing: 10, icon, progress.widget, column)).css("flat").focusOnClick(false)
        root = button
        if context.attachment.kind == .video { icon.show("video-x-generic-symbolic") }
        button.accessible(label: localized("File: %@", name))
        button.onClick { [weak self] in self?.clicked() }
        observe(self) { view in view.showPhase() }
        if let download = context.download { Task { await download.look() } }
    }

    func clear() {}

    private func clicked() {
        guard let download = context.download else { return }
        switch download.phase {
        case .here: context.open(context.message, context.index)
        case .waiting, .fetching: download.cancel()
        case .unknown, .absent, .failed: download.start()
        }
    }

    private func showPhase() {
        var parts = [context.attachment.size.map { Wording.size($0) }].compactMap(\.self)
        var state: ProgressRing.State?
        if let uploaded = context.download?.uploaded {
            state = .running(uploaded)
            parts.append(localized("Uploading: %@ %", Int(uploaded * 100)))
        } else {
            switch context.download?.phase {
            case .waiting?: state = .running(0)
            case .fetching(let fraction)?: state = .running(fraction ?? 0)
            case .failed?:
                state = .failed
                parts.append(localized("Could not be fetched"))
            case .absent?: state = .offer
            case .here?, .unknown?, nil: state = nil
            }
        }
        progress.widget.isVisible = state != nil
        icon.isVisible = state == nil
        if let state { progress.show(state) }
        detail.text = parts.joined(separator: " · ")
        detail.isVisible = !parts.isEmpty
    }
}

/// The view of one attachment, by its kind.
protocol AttachmentView: AnyObject {
    var root: Widget { get }

    /// Called before the row is reused.
    func clear()

    /// Called when the view may have become visible, so that animations continue.
    func wake()
}

extension AttachmentView {
    func wake() {}
}

/// What an attachment view needs from its timeline.
struct AttachmentContext {
    let message: TimelineMessage
    let index: Int
    let attachment: Attachment
    let playback: VoicePlayback
    let download: AttachmentDownload?
    /// Opens an attachment.
    let open: (TimelineMessage, Int) -> Void
}

/// Opens attachments with the desktop's programs, or saves them.
enum FileOpening {
    static func open(_ path: String, _ attachment: Attachment, over window: Window?, showToast: (String) -> Void) {
        // Only types whose programs just display the content are opened directly; anything else from the network is
        // saved first.
        let isHarmless = attachment.mediaType.map { type in
            ["image/", "audio/", "video/", "text/plain", "application/pdf"].contains { type.hasPrefix($0) }
        }
        guard isHarmless == true else {
            return showToast(localized("Save this file before you open it."))
        }
        ToolkitSettings.open(URL(fileURLWithPath: path).absoluteString, over: window)
    }

    static func save(_ message: TimelineMessage, _ view: TimelineView) {
        guard let attachment = message.text.attachments.first,
            let download = view.services.downloads()?.download(of: message.id, attachment: attachment)
        else { return }
        let window = view.services.window
        save(download, over: window.window(), showToast: window.showToast)
    }

    static func save(_ download: AttachmentDownload, over window: Window?, showToast: @escaping (String) -> Void) {
        Task {
            await download.look()
            guard case .here(let path) = download.phase else {
                download.start()
                return showToast(localized("The file is being fetched; save it then."))
            }
            let name = download.attachment.name ?? localized("File")
            guard let target = await FileChooser.save(localized("Save file"), name: name, over: window) else { return }
            do {
                try await copy(path, to: target)
                showToast(localized("Saved."))
            } catch {
                showToast(localized("The file could not be saved."))
            }
        }
    }

    @concurrent
    nonisolated static func copy(_ path: String, to target: String) async throws {
        let files = FileManager.default
        let new = target + ".part"
        try? files.removeItem(atPath: new)
        try files.copyItem(atPath: path, toPath: new)
        guard rename(new, target) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
