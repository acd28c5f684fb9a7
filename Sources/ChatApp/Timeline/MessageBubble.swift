internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// A message: its bubble with what it answers, files, text, time and ticks; below it reactions, or why it was not sent.
final class MessageBubble {
    let root: Widget
    private(set) var message: TimelineMessage?
    private let services: TimelineServices
    private weak var owner: (any TimelineOwner)?

    let bubble = Box.vertical(spacing: 3).css("bubble")
    let sender = Label().ellipsize().textAlignment(0).css("sender")
    private let files = Box.vertical(spacing: 4)
    let body: BodyView
    /// The last text and what was made of it.
    private var parsed: (text: String, body: MessageBody)?
    let edited = Label(localized("edited"))
    private let time = Label()
    let state = StateMark(usesAccent: false)
    private let overlay: Overlay
    // What few messages have is made when one has it.
    private(set) var quotation: QuotationView?
    private(set) var absence: Label?
    private(set) var reactions: ReactionsView?
    private(set) var failure: FailureView?
    private(set) var picture: PersonPicture?
    private let column: SideColumn
    private(set) var views: [any AttachmentView] = []
    private var shownAttachments: [Attachment] = []

    init(_ owner: (any TimelineOwner)?, _ services: TimelineServices) {
        self.owner = owner
        self.services = services
        body = BodyView { LinkQuestion.ask($0, over: services.place.window()) }
        let footer = Box.horizontal(spacing: 5, edited, time, state.widget).css("footer").align(horizontal: .end)
        for widget in [sender, files, body.root, footer] as [Widget] { bubble.append(widget) }
        column = SideColumn(spacing: 3, bubble).expand(.horizontal)
        // Text that wraps must not stand in a horizontal box: GTK 4.8 makes it as wide as it wants to be there.
        overlay = Overlay(column)
        root = overlay
        time.tip(whenAsked: { [weak self] in (self?.message?.time).map { Wording.full($0) } })
        body.onShowAll = { [weak self] in
            guard let message = self?.message else { return }
            WholeTextWindow.show(message.text.body, title: message.senderName, over: services.place.window())
        }
        bubble.onMenu { [weak self] x, y in
            if let self, let message = self.message { self.owner?.showMenu(message, self.bubble, x, y) }
        }
    }

    func show(_ message: TimelineMessage) {
        self.message = message
        let isOut = message.isOutgoing
        let showsSender = owner?.showsSenders == true && !isOut
        column.margins(start: showsSender ? 40 : 0)
        root.margins(start: isOut ? 48 : 12, end: isOut ? 12 : 48, top: message.beginsGroup ? 8 : 2, bottom: 0)
        column.isAtEnd(isOut)
        showPicture(showsSender, message)
        sender.isVisible = showsSender && message.beginsGroup
        sender.text = message.senderName

        let text = taken(apart: message)
        let isBare = !message.isRetracted && text.emojiCount > 0 && message.text.attachments.isEmpty
        bubble.css("outgoing", isOut && !isBare)
        bubble.css("incoming", !isOut && !isBare)
        bubble.css("bare", isBare)
        bubble.css("last", message.endsGroup)

        showQuotation(message)
        showAbsence(message.isRetracted ? localized("This message was deleted") : message.notOpened)
        let isPlaceholder = message.text.body.isEmpty
        body.root.isVisible = !message.isRetracted && !isPlaceholder
        if body.root.isVisible {
            body.show(text, prefix: text.isAction ? message.senderName : nil, marking: owner?.sought ?? "")
        }
        show(message.isRetracted ? [] : message.text.attachments, of: message)

        edited.isVisible = message.isEdited && !message.isRetracted
        time.text = Wording.clock(message.time)
        state.widget.isVisible = isOut && !message.isRetracted
        if isOut { state.show(message.state) }
        showReactions(message)
        showFailure(message)
        root.accessible(label: spoken(message))
    }

    private func taken(apart message: TimelineMessage) -> MessageBody {
        if let parsed, parsed.text == message.text.body { return parsed.body }
        let body = message.body
        parsed = (message.text.body, body)
        return body
    }

    private func side(_ isOutgoing: Bool) -> Alignment { isOutgoing ? .end : .start }

    // MARK: What few messages have

    private func showPicture(_ isShown: Bool, _ message: TimelineMessage) {
        guard isShown else {
            picture?.widget.isVisible = false
            return
        }
        let picture = picture ?? PersonPicture(services.avatars, size: 32)
        if self.picture == nil { overlay.add(picture.widget.align(horizontal: .start, vertical: .end)) }
        self.picture = picture
        // Beside the last of several only.
        picture.widget.isVisible = message.endsGroup
        picture.show(name: message.senderName, hash: message.avatarHash)
    }

    private func showQuotation(_ message: TimelineMessage) {
        guard let answered = message.quotation, !message.isRetracted else {
            quotation?.root.isVisible = false
            return
        }
        if quotation == nil {
            let view = QuotationView()
            view.onJump = { [weak self] in self?.owner?.jump(to: $0) }
            bubble.insert(view.root, after: sender)
            quotation = view
        }
        quotation?.root.isVisible = true
        quotation?.show(answered)
    }

    /// Shows why there is no text; `nil` where there is one.
    private func showAbsence(_ sentence: String?) {
        if let sentence {
            let label = absence ?? Label("").wrap().css("taken-back").textAlignment(0)
            if absence == nil { bubble.insert(label, after: body.root) }
            label.text = sentence
            absence = label
        }
        absence?.isVisible = sentence != nil
    }

    private func showReactions(_ message: TimelineMessage) {
        let groups = message.isRetracted ? [] : message.reactions
        if !groups.isEmpty, reactions == nil {
            let view = ReactionsView()
            view.onToggle = { [weak self] emoji in
                if let self, let message = self.message { self.owner?.toggleReaction(emoji, message) }
            }
            column.insert(view.root, after: bubble)
            reactions = view
        }
        reactions?.show(groups, side(message.isOutgoing))
    }

    private func showFailure(_ message: TimelineMessage) {
        guard message.isOutgoing, case .failed(let reason) = message.state else {
            failure?.root.isVisible = false
            bubble.css("failed", false)
            return
        }
        bubble.css("failed", true)
        if failure == nil {
            let view = FailureView()
            view.onRetry = { [weak self] in
                if let self, let message = self.message { self.owner?.retry(message) }
            }
            column.append(view.root)
            failure = view
        }
        failure?.show(reason)
    }

    // MARK: Files

    private func show(_ attachments: [Attachment], of message: TimelineMessage) {
        files.isVisible = !attachments.isEmpty
        bubble.css("media", attachments.first?.kind == .picture)
        guard attachments != shownAttachments || views.count != attachments.count else { return }
        shownAttachments = attachments
        clearFiles()
        let downloads = services.downloads()
        for (index, attachment) in attachments.enumerated() {
            let place = AttachmentPlace(
                message: message, index: index, attachment: attachment, playback: services.playback,
                download: downloads?.download(of: message.id, at: index, attachment: attachment),
                open: { [weak self] in self?.owner?.open($0, $1) })
            let view: any AttachmentView =
                switch attachment.kind {
                case .picture: PictureView(place)
                case .voice: VoiceView(place)
                case .file, .video: FileView(place)
                }
            views.append(view)
            files.append(view.root)
        }
    }

    private func clearFiles() {
        for view in views { view.clear() }
        views = []
        files.removeAll()
    }

    /// It may be on the screen again.
    func wake() { for view in views { view.wake() } }

    /// The row is not to be seen any more.
    func clear() {
        clearFiles()
        shownAttachments = []
        message = nil
    }

    // MARK: Seeing

    /// Shows for a moment that this is the one that was meant.
    func flash() {
        bubble.css("flash", true)
        Task { [bubble] in
            try? await Task.sleep(for: .seconds(1.5))
            bubble.css("flash", false)
        }
    }

    private func spoken(_ message: TimelineMessage) -> String {
        let name = message.isOutgoing ? localized("You") : message.senderName
        var parts = [name]
        if message.isRetracted {
            parts.append(localized("This message was deleted"))
        } else if let sentence = message.notOpened {
            parts.append(sentence)
        } else {
            parts += message.text.attachments.map { Wording.kind($0.kind) }
            if !message.text.body.isEmpty { parts.append(TextFold(message.text.body).text) }
            if message.isEdited { parts.append(localized("edited")) }
        }
        parts.append(Wording.clock(message.time))
        if message.isOutgoing { parts.append(Wording.state(message.state)) }
        return parts.joined(separator: ", ")
    }
}
