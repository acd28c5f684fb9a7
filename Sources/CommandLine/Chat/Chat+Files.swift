internal import ChatModel
internal import ChatStore
internal import Cryptography
internal import FileSharing
internal import Foundation
internal import Localization
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

    /// Asks whether a text that is too long for a message is to go as a file.
    func offerAsFile(_ text: String) {
        tell(MessageLength.explanation)
        question = Question(prompt: localized("Send it as a file (yes/no)? ")) { chat in
            await chat.send(localized("[text file]")) { folder in try await .text(text, in: folder) }
        }
    }

    /// Prepares a file, keeps it for the upload, and puts it into the queue, all beside the conversation.
    private func send(
        _ text: String, _ prepare: @escaping @Sendable (FileFolder) async throws -> PreparedFile
    ) {
        guard let key = openKey else { return tell(localized("Open a conversation first.")) }
        meter = text
        begin { chat in
            do {
                let file = try await prepare(chat.folder)
                await chat.prepared(file)
                if key.kind != .room, await chat.travelsInside(file) {
                    try await chat.sendInside(file, to: key)
                } else {
                    try await chat.enqueue(file, in: key)
                }
            } catch {
                await chat.failed(text, error)
            }
        }
    }

    private func prepared(_ file: PreparedFile) {
        meter = nil
        if file.outgoing.kind == .voice { lastVoice = file.path }
        redraw()
    }

    private func failed(_ text: String, _ error: any Error) {
        meter = nil
        tell(localized("Not sent: “%@”. %@", DisplayWidth.truncate(text, to: 24), CommandError(error).description))
        redraw()
    }

    private func enqueue(_ file: PreparedFile, in key: ConversationKey) async throws {
        guard let media else { throw CommandError.failed(localized("The profile has no folder for files.")) }
        let outgoing = file.outgoing
        let hash = try await media.insert(outgoing.content)
        await media.pin(hash)
        let kind: Attachment.Kind =
            switch outgoing.kind {
            case .picture: .picture
            case .voice: .voice
            case .video: .video
            case .other: .file
            }
        let attachment = Attachment(
            kind: kind, mediaType: outgoing.mediaType, name: outgoing.name, size: Int64(outgoing.content.count),
            width: outgoing.width, height: outgoing.height, duration: outgoing.length.map { Int64($0) },
            contentHash: hash.description, isLocal: true)
        let result: Result<MessageID, StoreError>
        do throws(StoreError) {
            result = .success(try await account.send(.text(MessageText("", attachments: [attachment])), in: key))
        } catch {
            result = .failure(error)
        }
        // From now on the queue looks after it.
        await media.unpin(hash)
        let id = try result.get()
        sentFiles[id] = file.details.line + "\n" + Self.short(file.path)
        if let message = shown[id] { await show(message, in: key) }
        tellWaiting()
        redraw()
    }

    // MARK: Inside the message

    /// Where the server has no place for files, small ones travel inside the message; that needs a connection.
    private func travelsInside(_ file: PreparedFile) async -> Bool {
        guard case .online = link, let sharing = live.session?[FileSharing.self] else { return false }
        do {
            return try await sharing.service() == nil
        } catch {
            return false
        }
    }

    private func sendInside(_ file: PreparedFile, to key: ConversationKey) async throws {
        guard let sharing = live.session?[FileSharing.self] else { throw ClientError.notConnected }
        let entry = timeline.append(.me, file.details.line + "\n" + Self.short(file.path), delivery: .sending)
        redraw()
        do {
            let token = try await sharing.send(file.outgoing, to: key.address, form: .automatic)
            for await change in token.changes {
                switch change {
                case .reached(.acknowledged): mark(entry, .onServer)
                case .reached(.delivered), .reached(.displayed): mark(entry, .delivered)
                case .reached: break
                case .failed(let error): throw error
                }
            }
        } catch {
            mark(entry, .failed(CommandError(error).description))
            throw error
        }
    }

    private func mark(_ entry: String, _ delivery: ConversationEntry.Delivery?) {
        if timeline.change(entry, { $0.delivery = delivery }) { redraw() }
    }

    // MARK: Received

    /// Fetches what is offered; what it is and where shows behind its message.
    func fetch(_ offer: FileOffer, from sender: JID, name: LiveName?) {
        guard let session = live.session else { return tell(localized("There is no connection to the server.")) }
        begin { chat in
            if let name, await chat.showKept(offer, name) { return }
            do {
                let file = try await FetchedFile(offer, in: session, folder: chat.folder)
                await chat.fetched(file, from: sender, name: name)
            } catch {
                await chat.failedToFetch(error)
            }
        }
    }

    /// What is here is not fetched again.
    ///
    /// - Returns: whether it is here.
    private func showKept(_ offer: FileOffer, _ name: LiveName) async -> Bool {
        guard let media, let promised = offer.metadata.hashes.first(where: { $0.algorithm == "sha-256" }),
            let hash = ChatStore.ContentHash(Hex.encode(promised.value)), let path = await media.file(of: hash)
        else { return false }
        let details = await FileDetails(path: path, byteCount: Int(clamping: offer.metadata.size ?? 0))
        if details.kind == .audio { lastVoice = path }
        fileNotes[name] = details.line + "\n" + Self.short(path)
        await noted(name, FetchedFile(path: path, sha256: hash.description, details: details))
        return true
    }

    private func fetched(_ file: FetchedFile, from sender: JID, name: LiveName?) async {
        var text = file.details.line
        if file.details.kind == .audio {
            lastVoice = file.path
            text += "  " + localized("(/play plays it)")
        }
        text += "\n" + Self.short(file.path)
        guard let name else {
            tell(self.name(of: sender) + ": " + text)
            return redraw()
        }
        fileNotes[name] = text
        await noted(name, file)
    }

    private func failedToFetch(_ error: any Error) {
        tell(localized("A file could not be fetched. %@", CommandError(error)))
        redraw()
    }

    func fetchWaiting() {
        guard let (offer, sender, name) = waitingOffers.popLast() else {
            return tell(localized("There is nothing to fetch."))
        }
        fetch(offer, from: sender.bare, name: name)
    }

    /// A path with the home folder as `~`.
    static func short(_ path: String) -> String {
        path.hasPrefix(NSHomeDirectory() + "/") ? "~" + path.dropFirst(NSHomeDirectory().count) : path
    }
}
