public import ChatStore
internal import MessageFeatures

extension Composer {
    /// Sends the text. Returns the message's identifier, or `nil` if there is nothing to send or the text
    /// ``isTooLong``.
    public func send() async throws(StoreError) -> MessageID? {
        guard !isEmpty, !isTooLong else { return nil }
        let (sentText, sentReply, sentEdit) = (text, reply, edit)
        let link = links?.take(for: sentText)
        // Cleared before the first suspension: text typed from now on belongs to the next message.
        clear(to: sentEdit == nil ? "" : textBeforeCorrection ?? "")
        typing.stop()
        do throws(StoreError) {
            var content = MessageText(Self.trimmed(sentText))
            content.reply = sentReply?.reference
            content.link = link
            let message: MessageContent = sentEdit.map { .correction(of: $0.reference, content) } ?? .text(content)
            let id = try await actions.send(message, in: key)
            // The draft is deleted after the message is in the store.
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

    /// Sends each file as a message of its own, in order, because other clients show only one per message (XEP-0447
    /// §3). The text stays in the composer.
    ///
    /// - Parameter caption: the text in the message of the first file.
    /// - Throws: if a file cannot be stored. The files before it are sent; it and the following ones are not.
    public func send(files: [Attachment], caption: String = "") async throws(StoreError) {
        let replied = reply
        for (index, file) in files.enumerated() {
            do throws(StoreError) {
                _ = try await send(
                    file, caption: index == 0 ? Self.trimmed(caption) : "", replyingTo: index == 0 ? replied : nil)
                if index == 0, replied != nil, reply == replied {
                    reply = nil
                    changed()
                }
            } catch {
                for rest in files[index...] { await release(rest) }
                throw error
            }
        }
    }

    private func send(
        _ file: Attachment, caption: String, replyingTo target: Target?
    ) async throws(StoreError) -> MessageID {
        let content = MessageText(caption, reply: target?.reference, attachments: [file])
        let id = try await actions.send(.text(content), in: key)
        await release(file)
        return id
    }

    private func clear(to rest: String) {
        restore(rest)
        reply = nil
        edit = nil
        textBeforeCorrection = nil
    }

    /// Line breaks at the end are usually accidental; leading spaces may be intended.
    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace ?? false { text.removeLast() }
        while text.first?.isNewline ?? false { text.removeFirst() }
        return String(text)
    }

    private func release(_ attachment: Attachment) async {
        if let hash = attachment.contentHash.flatMap(ContentHash.init) { await media?.unpin(hash) }
    }
}

/// Replies and corrections.
extension Composer {
    /// Makes the text a reply to a message; `nil` removes the reply.
    public func reply(to message: MessageID?) async throws(StoreError) {
        reply = try await target(message, for: .reply)
        changed()
    }

    /// Starts correcting one of the user's own messages. The text written before comes back afterwards.
    ///
    /// - Returns: `false` if it cannot be corrected: it is another person's message, was retracted, or has no
    ///   identifier yet.
    @discardableResult
    public func correct(_ message: MessageID) async throws(StoreError) -> Bool {
        let stored = try await store.read { store throws(StoreError) in try store.message(message) }
        guard let stored, stored.isOutgoing, !stored.isRetracted, !stored.protection.isNotOpened,
            let target = try await target(message, for: .correction)
        else { return false }
        if edit == nil { textBeforeCorrection = text }
        edit = target
        reply = nil
        text = stored.text.body
        return true
    }

    /// Starts correcting the user's last message in the conversation.
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

    /// How many messages back the last own message is searched for.
    nonisolated static let correctionReach = 50

    /// Cancels the correction.
    public func cancelCorrection() {
        guard edit != nil else { return }
        edit = nil
        text = textBeforeCorrection ?? ""
        textBeforeCorrection = nil
        changed()
    }

    func target(
        _ message: MessageID?, for purpose: MessageIdentity.Purpose
    ) async throws(StoreError) -> Target? {
        guard let message else { return nil }
        return try await store.read { [key] store throws(StoreError) in
            try Self.target(message, key, AddressBook(store, of: key.account), store, for: purpose)
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
