internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization

/// A file in a bubble: name, size, and what a click does with it.
final class FileView: AttachmentView {
    let root: Widget
    private let place: AttachmentPlace
    private let progress = ProgressRing()
    private let detail = Label().textAlignment(0).css("caption")
    private let icon = Icon("text-x-generic-symbolic", size: 28)
    private let button: Button

    /// - Parameter characters: how much of the name is shown where there is room.
    init(_ place: AttachmentPlace, characters: Int = 32) {
        self.place = place
        let name = place.attachment.name ?? localized("File")
        let words = Box.vertical(
            Label(name).ellipsize(inMiddle: true).textAlignment(0).characters(maximum: characters), detail
        ).align(vertical: .center)
        button = Button(Box.horizontal(spacing: 10, icon, progress.widget, words)).css("flat").focusOnClick(false)
        root = button
        if place.attachment.kind == .video { icon.show("video-x-generic-symbolic") }
        button.accessible(label: localized("File: %@", name))
        button.onClick { [weak self] in self?.clicked() }
        observe(self) { view in view.showPhase() }
        if let download = place.download { Task { await download.look() } }
    }

    func clear() {}

    private func clicked() {
        guard let download = place.download else { return }
        switch download.phase {
        case .here: place.open(place.message, place.index)
        case .waiting, .fetching: download.cancel()
        case .unknown, .absent, .failed: download.start()
        }
    }

    private func showPhase() {
        var parts = [place.attachment.size.map { Wording.size($0) }].compactMap(\.self)
        var state: ProgressRing.State?
        if let uploaded = place.download?.uploaded {
            state = .running(uploaded)
            parts.append(localized("Uploading: %@ %", Int(uploaded * 100)))
        } else {
            switch place.download?.phase {
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

/// One file of a message, shown as what it is.
protocol AttachmentView: AnyObject {
    var root: Widget { get }

    /// The row is used for something else.
    func clear()

    /// It may be on the screen again: what moves goes on.
    func wake()
}

extension AttachmentView {
    func wake() {}
}

/// What a view of a file may ask of the timeline that it stands in.
struct AttachmentPlace {
    let message: TimelineMessage
    let index: Int
    let attachment: Attachment
    let playback: VoicePlayback
    let download: AttachmentDownload?
    /// Opens a picture or another file.
    let open: (TimelineMessage, Int) -> Void
}

/// Files of messages outside of the conversation: opened with the desktop's programs, or saved where the person wants.
enum FileOpening {
    static func open(_ path: String, _ attachment: Attachment, over window: Window?, say: (String) -> Void) {
        // What came from the network is only looked at by programs that show it; anything else is saved first.
        let isHarmless = attachment.mediaType.map { type in
            ["image/", "audio/", "video/", "text/plain", "application/pdf"].contains { type.hasPrefix($0) }
        }
        guard isHarmless == true else {
            return say(localized("Save this file before you open it."))
        }
        ToolkitSettings.open(URL(fileURLWithPath: path).absoluteString, over: window)
    }

    static func save(_ message: TimelineMessage, _ view: TimelineView) {
        guard let attachment = message.text.attachments.first,
            let download = view.services.downloads()?.download(of: message.id, attachment: attachment)
        else { return }
        let place = view.services.place
        save(download, over: place.window(), say: place.toast)
    }

    static func save(_ download: AttachmentDownload, over window: Window?, say: @escaping (String) -> Void) {
        Task {
            await download.look()
            guard case .here(let path) = download.phase else {
                download.start()
                return say(localized("The file is being fetched; save it then."))
            }
            let name = download.attachment.name ?? localized("File")
            guard let target = await FileChooser.save(localized("Save file"), name: name, over: window) else { return }
            do {
                try await copy(path, to: target)
                say(localized("Saved."))
            } catch {
                say(localized("The file could not be saved."))
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
