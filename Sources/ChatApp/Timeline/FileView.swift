internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization
internal import UserProfile

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
        button.onClick { [weak self] in self?.activate() }
        observe(self) { view in view.showPhase() }
        if let download = context.download { Task { await download.look() } }
    }

    func clear() {}

    func activate() { context.activate() }

    private func showPhase() {
        var parts = [context.attachment.size.map { Wording.size($0) }].compactMap(\.self)
        var state: ProgressRing.State?
        if let uploaded = context.download?.uploaded {
            state = .running(uploaded)
            if case .uploading? = context.download?.sending {
                parts.append(Wording.sending(.uploading(Int(uploaded * 100))))
            }
        } else {
            switch context.download?.phase {
            case .waiting?: state = .running(0)
            case .fetching(let fraction)?: state = .running(fraction ?? 0)
            case .failed?:
                state = .failed
                parts.append(localized("Download failed"))
            case .absent?: state = .offer
            case .here?, .gone?, .unknown?, nil: state = nil
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

    /// What a click does: opens or plays the file, or starts its download.
    func activate()

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
    /// `nil` when the media of the account cannot be stored.
    let download: AttachmentDownload?
    /// Opens an attachment.
    let open: (TimelineMessage, Int) -> Void
    let showToast: (String) -> Void

    /// What a click does: opens the file, or starts or cancels its download.
    func activate() {
        guard let download else { return explainAbsence() }
        switch download.phase {
        case .here: open(message, index)
        case .waiting, .fetching: download.cancel()
        case .unknown, .absent, .failed: download.start()
        case .gone: showToast(Wording.goneFile)
        }
    }

    /// Says why nothing can be downloaded: there is no ``download``.
    func explainAbsence() { showToast(localized("Files of this account cannot be stored on this computer.")) }
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

    /// Saves files into a folder that the user chooses.
    static func save(
        _ downloads: [AttachmentDownload], over window: Window?, showToast: @escaping (String) -> Void
    ) {
        Task {
            guard let folder = await FileChooser.folder(localized("Save Files"), over: window) else { return }
            await save(downloads, into: folder, showToast: showToast)
        }
    }

    /// Saves files into a folder and replaces none there.
    static func save(_ downloads: [AttachmentDownload], into folder: String, showToast: (String) -> Void) async {
        var files: [(path: String, name: String)] = []
        var isComplete = true
        for download in downloads {
            await download.look()
            if case .here(let path) = download.phase {
                files.append((path, download.attachment.name ?? localized("File")))
            } else {
                download.start()
                isComplete = false
            }
        }
        do {
            try await copy(files, into: folder)
            showToast(
                isComplete
                    ? localized("Saved.")
                    : localized("Some of the files are still being downloaded; save them afterwards."))
        } catch {
            showToast(localized("The file could not be saved."))
        }
    }

    /// Names may come from a stranger.
    @concurrent
    private nonisolated static func copy(_ files: [(path: String, name: String)], into folder: String) async throws {
        let folder = FileFolder(path: folder)
        for file in files { _ = try folder.save(copyOf: file.path, name: file.name) }
    }

    static func save(
        _ download: AttachmentDownload, title: String = localized("Save File"), over window: Window?,
        showToast: @escaping (String) -> Void
    ) {
        Task {
            await download.look()
            guard case .here(let path) = download.phase else {
                download.start()
                return showToast(localized("The file is being downloaded; save it afterwards."))
            }
            let isPicture = download.attachment.kind == .picture
            let name = download.attachment.name ?? (isPicture ? localized("Picture") : localized("File"))
            guard let target = await FileChooser.save(title, name: name, over: window) else { return }
            do {
                try await copy(path, to: target)
                showToast(localized("Saved."))
            } catch {
                showToast(localized("The file could not be saved."))
            }
        }
    }

    @concurrent
    private nonisolated static func copy(_ path: String, to target: String) async throws {
        try FileFolder.copy(path, to: target)
    }
}
