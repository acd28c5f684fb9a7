internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// A message bubble: replied-to message, attachments, text, time and state; below it the reactions, or why sending
/// failed.
final class MessageBubble {
    let root: Widget
    private(set) var message: TimelineMessage?
    private let services: TimelineServices
    private weak var owner: (any TimelineOwner)?

    let bubble = Box.vertical(spacing: 3).css("bubble")
    let sender = Label().ellipsize().textAlignment(0).css("sender")
    private let files = Box.vertical(spacing: 4)
    let body: BodyView
    /// The last text and its parsed body.
    private var parsed: (text: String, body: MessageBody)?
    let edited = Label(localized("edited"))
    let protection = ProtectionSign()
    private let time = Label()
    let state = StateMark(usesAccent: false)
    private let overlay: Overlay
    // Parts that few messages have are created on demand.
    private(set) var quotation: QuotationView?
    private(set) var absence: Label?
    private(set) var reactions: ReactionsView?
    private(set) var failure: FailureView?
    private(set) var picture: AvatarImage?
    private let column: SideColumn
    private(set) var views: [any AttachmentView] = []
    private var shownAttachments: [Attachment] = []

    init(_ owner: (any TimelineOwner)?, _ services: TimelineServices) {
        self.owner = owner
        self.services = services
        body = BodyView { LinkWarning.ask($0, over: services.window.window()) }
        let footer = Box.horizontal(spacing: 5, edited, protection.widget, time, state.widget).css("footer").align(
            horizontal: .end)
        for widget in [sender, files, body.root, footer] as [Widget] { bubble.append(widget) }
        column = SideColumn(spacing: 3, bubble).expand(.horizontal)
        // Wrapping labels must not be in a horizontal box: GTK 4.8 gives them their natural width there.
        overlay = Overlay(column)
        root = overlay
        time.tip(whenAsked: { [weak self] in (self?.message?.time).map { Wording.full($0) } })
        body.onShowAll = { [weak self] in
            guard let message = self?.message else { return }
            WholeTextWindow.show(message.text.body, title: message.senderName, over: services.window.window())
        }
        bubble.onMenu { [weak self] x, y in
            if let self, let message = self.message { self.owner?.showMenu(message, self.bubble, x, y) }
        }
    }

    func show(_ message: TimelineMessage) {
        self.message = message
        let isOutgoing = message.isOutgoing
        let showsSender = owner?.showsSenders == true && !isOutgoing
        column.margins(start: showsSender ? 40 : 0)
        root.margins(
            start: isOutgoing ? 48 : 12, end: isOutgoing ? 12 : 48, top: message.beginsGroup ? 8 : 2, bottom: 0)
        column.isAtEnd(isOutgoing)
        showPicture(showsSender, message)
        sender.isVisible = showsSender && message.beginsGroup
        sender.text = message.senderName

        let text = parse(message)
        let isBare = !message.isRetracted && text.emojiCount > 0 && message.text.attachments.isEmpty
        bubble.css("outgoing", isOutgoing && !isBare)
        bubble.css("incoming", !isOutgoing && !isBare)
        bubble.css("bare", isBare)
        bubble.css("last", message.endsGroup)

        showQuotation(message)
        showAbsence(message.isRetracted ? localized("This message was deleted") : message.notOpened)
        let isPlaceholder = message.text.body.isEmpty
        body.root.isVisible = !message.isRetracted && !isPlaceholder
        if body.root.isVisible {
            body.show(text, prefix: text.isAction ? message.senderName : nil, marking: owner?.highlight ?? "")
        }
        show(message.isRetracted ? [] : message.text.attachments, of: message)

        edited.isVisible = message.isEdited && !message.isRetracted
        protection.show(message)
        time.text = Wording.clock(message.time)
        state.widget.isVisible = isOutgoing && !message.isRetracted
        if isOutgoing { state.show(message.state) }
        showReactions(message)
        showFailure(message)
        root.accessible(label: spoken(message))
    }

    private func parse(_ message: TimelineMessage) -> MessageBody {
        if let parsed, parsed.text == message.text.body { return parsed.body }
        let body = message.body
        parsed = (message.text.body, body)
        return body
    }

    private func side(_ isOutgoing: Bool) -> Alignment { isOutgoing ? .end : .start }

    // MARK: Optional parts

    private func showPicture(_ isShown: Bool, _ message: TimelineMessage) {
        guard isShown else {
            picture?.widget.isVisible = false
            return
        }
        let picture = picture ?? AvatarImage(services.avatars, size: 32)
        if self.picture == nil { overlay.add(picture.widget.align(horizontal: .start, vertical: .end)) }
        self.picture = picture
        // Only the last message of a group has the avatar.
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

    // MARK: Attachments

    private func show(_ attachments: [Attachment], of message: TimelineMessage) {
        files.isVisible = !attachments.isEmpty
        bubble.css("media", attachments.first?.kind == .picture)
        guard attachments != shownAttachments || views.count != attachments.count else { return }
        shownAttachments = attachments
        clearFiles()
        let downloads = services.downloads()
        for (index, attachment) in attachments.enumerated() {
            let context = AttachmentContext(
                message: message, index: index, attachment: attachment, playback: services.playback,
                download: downloads?.download(of: message.id, at: index, attachment: attachment),
                open: { [weak self] in self?.owner?.open($0, $1) })
            let view: any AttachmentView =
                switch attachment.kind {
                case .picture: PictureView(context)
                case .voice: VoiceView(context)
                case .file, .video: FileView(context)
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

    /// Called when the row may have become visible.
    func wake() { for view in views { view.wake() } }

    /// Called when the row is not visible any more.
    func clear() {
        clearFiles()
        shownAttachments = []
        message = nil
    }

    // MARK: Highlighting

    /// Highlights the bubble for a moment, after a jump to it.
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
        // What could not be decrypted has its sentence already.
        if let mark = message.mark, mark != .notOpened {
            parts.append(Wording.protection(of: message) ?? Wording.protection(mark))
        }
        parts.append(Wording.clock(message.time))
        if message.isOutgoing { parts.append(Wording.state(message.state)) }
        return parts.joined(separator: ", ")
    }
}

/// The replied-to message above the text; a click jumps to it.
final class QuotationView {
    let root: Button
    var onJump: (MessageID) -> Void = { _ in }
    let name = Label().ellipsize().textAlignment(0).css("name")
    let label = Label().ellipsize().textAlignment(0).characters(maximum: 40).css("words")
    private var target: MessageID?

    init() {
        root = Button(Box.vertical(name, label)).css("flat", "answered").focusOnClick(false)
        root.onClick { [weak self] in
            if let self, let target = self.target { self.onJump(target) }
        }
    }

    func show(_ quotation: TimelineMessage.Quotation) {
        target = quotation.id
        name.isVisible = quotation.preview != nil
        name.text = quotation.preview.map { $0.isOutgoing ? localized("You") : $0.senderName } ?? ""
        label.text =
            quotation.preview.map { Wording.preview($0) } ?? localized("A message that is not on this computer")
        root.isSensitive = quotation.id != nil
        root.accessible(label: localized("Reply to: %@", label.text))
    }
}
