internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization

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
