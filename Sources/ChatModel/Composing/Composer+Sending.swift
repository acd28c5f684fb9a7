public import ChatStore

extension Composer {
    /// Sends what is written; gives the number of the message, or `nil` if there is nothing to send or the text ``isTooLong``.
    public func send() async throws(StoreError) -> MessageID? {
        guard !isEmpty, !isTooLong else { return nil }
        let (sentText, sentReply, sentEdit) = (text, reply, edit)
        // Emptied at once: what is typed from now on belongs to the next message.
        clear(to: sentEdit == nil ? "" : putAside ?? "")
        tell(notice.stop())
        do throws(StoreError) {
            var content = MessageText(Self.trimmed(sentText))
            content.reply = sentReply?.reference
            let message: MessageContent = sentEdit.map { .correction(of: $0.reference, content) } ?? .text(content)
            let id = try await actions.send(message, in: key)
            // Only now may the draft go.
            await flush(evenIfSaved: true)
            return id
        } catch {
            restore(text.isEmpty ? sentText : sentText + "\n" + text)
            reply = reply ?? sentReply
            edit = edit ?? sentEdit
            changed()
            throw error
        }
    }

    /// Sends files and leaves what is written where it is: each as a message of its own, because programs show no more than one
    /// (XEP-0447 §3), in this order.
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
    }

    /// Line breaks at the end are slips of the keyboard; spaces at the beginning can be meant.
    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace ?? false { text.removeLast() }
        while text.first?.isNewline ?? false { text.removeFirst() }
        return String(text)
    }

    private func letGo(_ attachment: Attachment) async {
        if let hash = attachment.contentHash.flatMap(ContentHash.init) { await media?.unpin(hash) }
    }
}
