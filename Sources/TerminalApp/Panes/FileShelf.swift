internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Foundation
internal import Localization

/// The files in the messages of one conversation: their state, and its text.
@MainActor
final class FileShelf {
    private struct Key: Hashable {
        let message: MessageID
        let index: Int
    }

    private let downloads: AttachmentDownloads?
    private var held: [Key: AttachmentDownload] = [:]

    init(_ downloads: AttachmentDownloads?) { self.downloads = downloads }

    /// Looks up the files of these messages.
    ///
    /// - Parameter fetches: whether to download small pictures and voice messages automatically.
    func show(_ messages: [TimelineMessage], fetches: Bool) {
        guard let downloads else { return }
        var shown: [Key: AttachmentDownload] = [:]
        for message in messages where !message.isRetracted {
            for (index, attachment) in message.text.attachments.enumerated() {
                let key = Key(message: message.id, index: index)
                if let known = held[key] {
                    shown[key] = known
                    continue
                }
                let download = downloads.download(of: message.id, at: index, attachment: attachment)
                shown[key] = download
                let isWanted = fetches && !message.isOutgoing
                Task {
                    // Content inside the message is already here and only needs to be decoded.
                    if isWanted { download.startAutomatically() }
                    await download.look()
                }
            }
        }
        held = shown
    }

    /// The lines for the files of a message.
    func lines(of message: TimelineMessage) -> [String] {
        message.text.attachments.enumerated().map { index, attachment in
            attachment.label(isNamed: attachment.isNamed)
                + note(attachment, held[Key(message: message.id, index: index)])
        }
    }

    private func note(_ attachment: Attachment, _ download: AttachmentDownload?) -> String {
        switch download?.sending {
        case .uploading(let percent)?: return "  ↑ \(percent)%"
        case let step?: return "  ↑ " + Wording.sending(step)
        case nil: break
        }
        switch download?.phase {
        case nil, .unknown: return ""
        case .absent where download?.offer == .waiting:
            return "  " + localized("(/get accepts it, /decline declines it)")
        case .absent: return "  " + localized("(/get downloads it)")
        case .gone: return "  (" + (download?.offer.map { Wording.offer($0) } ?? Wording.goneFile) + ")"
        case .waiting, .fetching(nil): return "  ↓"
        case .fetching(let share?): return "  ↓ \(Int(share * 100))%"
        case .here(let path):
            let hint = attachment.kind == .voice ? "  " + localized("(/play plays it)") : ""
            return hint + "\n" + Self.short(path)
        case .failed(let failure):
            return "  " + localized("(not downloaded: %@ /get tries again)", Wording.failure(failure))
        }
    }

    /// Whether a file of a message is still changing.
    func isChanging(_ message: TimelineMessage) -> Bool {
        message.text.attachments.indices.contains { index in
            guard let download = held[Key(message: message.id, index: index)] else { return false }
            return download.isRunning || download.sending != nil || download.offer == .waiting
                || download.phase == .unknown
        }
    }

    /// Downloads the newest file that is not here; returns `false` if there is none.
    func fetchNewest(of messages: [TimelineMessage]) -> Bool {
        for message in messages.reversed() {
            for index in message.text.attachments.indices {
                guard let download = held[Key(message: message.id, index: index)] else { continue }
                switch download.phase {
                case .absent, .failed:
                    download.start()
                    return true
                case .unknown, .gone, .waiting, .fetching, .here: continue
                }
            }
        }
        return false
    }

    /// Declines the newest file that a contact offers; returns `false` if there is none.
    func declineNewest(of messages: [TimelineMessage]) -> Bool {
        for message in messages.reversed() {
            for index in message.text.attachments.indices {
                guard let download = held[Key(message: message.id, index: index)], download.offer == .waiting else {
                    continue
                }
                download.decline()
                return true
            }
        }
        return false
    }

    /// The newest voice message that is here.
    func newestVoice(of messages: [TimelineMessage]) -> VoicePlayback.Track? {
        for message in messages.reversed() {
            for (index, attachment) in message.text.attachments.enumerated() where attachment.kind == .voice {
                if case .here(let path)? = held[Key(message: message.id, index: index)]?.phase {
                    return VoicePlayback.Track(message: message.id, path: path)
                }
            }
        }
        return nil
    }

    /// A path with the home folder abbreviated to `~`.
    static func short(_ path: String) -> String {
        path.hasPrefix(NSHomeDirectory() + "/") ? "~" + path.dropFirst(NSHomeDirectory().count) : path
    }

    /// A path with `~` expanded to the home folder.
    static func expanded(_ path: String) -> String { (path as NSString).expandingTildeInPath }
}
