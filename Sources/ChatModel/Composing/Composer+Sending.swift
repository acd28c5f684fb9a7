public import ChatStore

extension Composer {
    /// Sends what is written; gives the number of the last message, or `nil` if there is nothing to send or the text
    /// ``isTooLong``.
    ///
    /// Each file is a message of its own, because programs show no more than one (XEP-0447 §3), and the text follows them.
    public func send() async throws(StoreError) -> MessageID? {
        guard !isEmpty, !isTooLong else { return nil }
        let (sentText, sentReply, sentEdit, sentFiles) = (text, reply, edit, attachments)
        // Emptied at once: what is typed from now on belongs to the next message.
        clear(to: sentEdit == nil ? "" : putAside ?? "")
        tell(notice.stop())
        var left = sentFiles
        do throws(StoreError) {
            var last: MessageID?
            while let file = left.first {
                last = try await send(file.attachment, answering: left.count == sentFiles.count ? sentReply : nil)
                left.removeFirst()
            }
            let words = Self.trimmed(sentText)
            if !words.isEmpty || sentFiles.isEmpty {
                var content = MessageText(words)
                content.reply = sentFiles.isEmpty ? sentReply?.reference : nil
                let message: MessageContent =
                    sentEdit.map { .correction(of: $0.reference, content) } ?? .text(content)
                last = try await actions.send(message, in: key)
            }
            // Only now may the draft go.
            await flush(evenIfSaved: true)
            return last
        } catch {
            restore(text.isEmpty ? sentText : sentText + "\n" + text)
            if left.count == sentFiles.count { reply = reply ?? sentReply }
            edit = edit ?? sentEdit
            attachments = left + attachments
            changed()
            throw error
        }
    }

    /// Sends files and leaves what is written where it is: each as a message of its own, in this order.
    ///
    /// - Throws: where one cannot be kept; those before it are sent, it and those after it are not.
    public func send(files: [Attachment]) async throws(StoreError) {
        let answered = reply
        for (index, file) in files.enumerated() {
            do throws(StoreError) {
                _ = try await send(file, answering: index == 0 ? answered : nil)
                if index == 0, answered != nil, reply == answered {
                    reply = nil
                    changed()
                }
            } catch {
                for rest in files[index...] { await letGo(rest) }
                throw error
            }
        }
    }

    private func send(_ file: Attachment, answering target: Target?) async throws(StoreError) -> MessageID {
        let content = MessageText("", reply: target?.reference, attachments: [file])
        let id = try await actions.send(.text(content), in: key)
        await letGo(file)
        return id
    }

    private func clear(to rest: String) {
        restore(rest)
        reply = nil
        edit = nil
        putAside = nil
        attachments = []
    }

    /// Line breaks at the end are slips of the keyboard; spaces at the beginning can be meant.
    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace ?? false { text.removeLast() }
        while text.first?.isNewline ?? false { text.removeFirst() }
        return String(text)
    }

    // MARK: Files

    /// Adds a file; its content is kept by its hash already.
    @discardableResult
    public func attach(_ attachment: Attachment) -> ComposerAttachment.ID {
        lastAttachment += 1
        attachments.append(ComposerAttachment(id: lastAttachment, attachment: attachment))
        return lastAttachment
    }

    public func replaceAttachment(_ id: ComposerAttachment.ID, by attachment: Attachment) async {
        guard let index = attachments.firstIndex(where: { $0.id == id }) else { return }
        let old = attachments[index].attachment
        attachments[index].attachment = attachment
        await letGo(old)
    }

    public func removeAttachment(_ id: ComposerAttachment.ID) async {
        guard let index = attachments.firstIndex(where: { $0.id == id }) else { return }
        await letGo(attachments.remove(at: index).attachment)
    }

    private func letGo(_ attachment: Attachment) async {
        if let hash = attachment.contentHash.flatMap(ContentHash.init) { await media?.unpin(hash) }
    }
}
