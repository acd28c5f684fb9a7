internal import FileSharing
internal import Foundation
internal import Media
internal import MessageFeatures
internal import XMPPAddress
internal import XMPPClient

extension Chat {
    func sendPicture(_ file: String) {
        send(localized("[picture] %@", file)) { folder in try await .picture(file: file, in: folder) }
    }

    func sendVoice(_ file: String) {
        send(localized("[voice] %@", file)) { folder in try await .voice(file: file, in: folder) }
    }

    func sendVoice(_ message: VoiceMessage) {
        send(localized("[voice] %@", PlayingTime(milliseconds: message.milliseconds))) { folder in
            try await .voice(message, in: folder)
        }
    }

    /// Prepares a file, shows the copy that is kept, and sends it, all beside the conversation.
    private func send(
        _ text: String, _ prepare: @escaping @Sendable (FileFolder) async throws -> PreparedFile
    ) {
        guard case .conversation(let peer) = view else {
            return tell(localized("Open a conversation first."))
        }
        let entry = timeline.append(.me, text, delivery: .sending)
        begin { chat in
            do {
                let file = try await prepare(chat.folder)
                await chat.prepared(file, entry: entry)
                let sharing = try chat.session.extensionInUse(FileSharing.self)
                let token = try await sharing.send(file.outgoing, to: peer, form: .automatic) { step in
                    guard let total = step.total, total > 0 else { return }
                    let percent = Int(min(100, step.completed * 100 / total))
                    Task { await chat.transferred(percent, entry: entry) }
                }
                await chat.mark(entry, .sending)
                await chat.follow(token, entry: entry)
            } catch {
                await chat.failed(entry, error)
            }
        }
    }

    private func prepared(_ file: PreparedFile, entry: String) {
        if file.outgoing.kind == .voice { lastVoice = file.path }
        timeline.change(entry) { $0.text = file.details.line + "\n" + Self.short(file.path) }
        redraw()
    }

    /// A step of a transfer; late ones, after its end, count no more.
    func transferred(_ percent: Int, entry: String) {
        let isVisible = timeline.change(entry) {
            switch $0.delivery {
            case .transferring(let before) where before < percent: $0.delivery = .transferring(percent)
            case .sending where percent < 100: $0.delivery = .transferring(percent)
            default: break
            }
        }
        if isVisible { redraw() }
    }

    /// Shows what is offered, fetches it, and shows what it is and where.
    func receive(_ offer: FileOffer, from name: String, time: Timestamp) {
        let entry = timeline.append(
            .contact(name), localized("[%@] is being fetched", offer.kind.label), time: time,
            delivery: .transferring(0))
        begin { chat in
            do {
                let file = try await FetchedFile(offer, in: chat.session, folder: chat.folder) { percent in
                    Task { await chat.transferred(percent, entry: entry) }
                }
                await chat.fetched(file, entry: entry)
            } catch {
                await chat.failedToFetch(entry, error)
            }
        }
    }

    private func fetched(_ file: FetchedFile, entry: String) {
        if file.details.kind == .audio { lastVoice = file.path }
        timeline.change(entry) {
            $0.text = file.details.line
            if file.details.kind == .audio { $0.text += "  " + localized("(/play plays it)") }
            $0.text += "\n" + Self.short(file.path)
            $0.delivery = nil
        }
        redraw()
    }

    private func failedToFetch(_ entry: String, _ error: any Error) {
        timeline.change(entry) {
            $0.text = localized("A file could not be fetched. %@", CommandError(error))
            $0.delivery = nil
        }
        redraw()
    }

    func fetchWaiting() {
        guard let (offer, sender) = waitingOffers.popLast() else {
            return tell(localized("There is nothing to fetch."))
        }
        receive(offer, from: sender.bare.description, time: .now)
    }

    /// A path with the home folder as `~`.
    static func short(_ path: String) -> String {
        path.hasPrefix(NSHomeDirectory() + "/") ? "~" + path.dropFirst(NSHomeDirectory().count) : path
    }
}
