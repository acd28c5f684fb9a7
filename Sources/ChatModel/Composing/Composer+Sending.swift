public import ChatStore
internal import MessageFeatures

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

/// Answers and corrections.
extension Composer {
    /// Makes this an answer to a message; `nil` makes it none.
    public func answer(_ message: MessageID?) async throws(StoreError) {
        reply = try await target(message, for: .reply)
        changed()
    }

    /// Corrects a message of this person; what was written before comes back afterwards.
    ///
    /// - Returns: `false` if it cannot be corrected: it is somebody else's, was taken back, or has not been named yet.
    @discardableResult
    public func correct(_ message: MessageID) async throws(StoreError) -> Bool {
        let stored = try await store.read { store throws(StoreError) in try store.message(message) }
        guard let stored, stored.isOutgoing, !stored.isRetracted,
            let target = try await target(message, for: .correction)
        else { return false }
        if edit == nil { putAside = text }
        edit = target
        reply = nil
        text = stored.text.body
        return true
    }

    /// Corrects the last message of this person in the conversation.
    @discardableResult
    public func correctLast() async throws(StoreError) -> Bool {
        let last = try await store.read { [key] store throws(StoreError) in
            guard let conversation = try store.conversation(key) else { return nil as MessageID? }
            return try store.timeline(of: conversation, .newest, limit: Self.correctionReach)
                .last { $0.isOutgoing && !$0.isRetracted && !$0.text.body.isEmpty }?.id
        }
        guard let last else { return false }
        return try await correct(last)
    }

    /// So many messages back one's own last message is looked for; further up nobody means it.
    nonisolated static let correctionReach = 50

    /// Leaves the message as it is.
    public func cancelCorrection() {
        guard edit != nil else { return }
        edit = nil
        text = putAside ?? ""
        putAside = nil
        changed()
    }

    func target(
        _ message: MessageID?, for purpose: MessageIdentity.Purpose
    ) async throws(StoreError) -> Target? {
        guard let message else { return nil }
        return try await store.read { [key] store throws(StoreError) in
            try Self.target(message, key, AddressBook(store), store, for: purpose)
        }
    }

    nonisolated static func target(
        _ message: MessageID?, _ key: ConversationKey, _ book: AddressBook, _ store: any StoreReader,
        for purpose: MessageIdentity.Purpose
    ) throws(StoreError) -> Target? {
        guard let message, let stored = try store.message(message), !stored.isRetracted,
            try store.conversation(key) == stored.conversation,
            let reference = stored.reference(in: key, for: purpose)
        else { return nil }
        return Target(
            id: message, preview: MessagePreview(stored, senderName: book.author(stored.sender, in: key)),
            reference: reference)
    }
}
