internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// A message bubble: replied-to message, attachments, text, and in its last line time and state; below it the reactions,
/// or why sending failed. Pictures without text fill the bubble, and the time stands on them.
final class MessageBubble {
    let root: Widget
    private(set) var message: TimelineMessage?
    /// The whole content, for screen readers.
    private(set) var spokenText = ""
    private let services: TimelineServices
    private weak var owner: (any TimelineOwner)?

    let bubble = Box.vertical(spacing: 3).css("bubble")
    let sender = Label().ellipsize().textAlignment(0).css("sender")
    private let files = Box.vertical(spacing: 2)
    private let media: Overlay
    private let words: FooterColumn
    let body: BodyView
    /// The last text and its parsed body.
    private var parsed: (text: String, name: String?, body: MessageBody, isMention: Bool)?
    private let below = MessageFooter()
    /// The footer that stands on pictures.
    private var above: MessageFooter?
    /// The footer that is shown.
    private(set) var footer: MessageFooter
    private let overlay: Overlay
    // Parts that few messages have are created on demand.
    private(set) var quotation: QuotationView?
    private(set) var absence: Label?
    private(set) var card: LinkCardView?
    private(set) var reactions: ReactionsView?
    private(set) var failure: FailureView?
    private(set) var picture: AvatarImage?
    private let column: SideColumn
    private(set) var views: [any AttachmentView] = []
    /// The lines of files without an address.
    private(set) var directLines: [DirectFileLine] = []
    private var shownAttachments: [Attachment] = []

    init(_ owner: (any TimelineOwner)?, _ services: TimelineServices) {
        self.owner = owner
        self.services = services
        body = BodyView { LinkWarning.ask($0, over: services.window.window()) }
        footer = below
        words = FooterColumn(footer: below.root, spacing: 3, gap: 10, body.root).css("said")
        media = Overlay(files)
        for widget in [sender, media, words] as [Widget] { bubble.append(widget) }
        bubble.clipped()
        column = SideColumn(spacing: 3, bubble).expand(.horizontal)
        // Wrapping labels must not be in a horizontal box: GTK 4.8 gives them their natural width there.
        overlay = Overlay(column)
        root = overlay
        root.css("message").focusable(true)
        below.onState = { [weak self] in self?.owner?.explain($0) }
        body.onShowAll = { [weak self] in
            guard let message = self?.message else { return }
            WholeTextWindow.show(message.text.body, title: message.senderName, over: services.window.window())
        }
        root.onCapturedClick(while: { [weak self] in self?.owner?.selection.isEmpty == false }) { [weak self] in
            if let self, let message = self.message { self.owner?.select(message) }
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
        showSender(message)

        let isDeleted = message.isRetracted || message.shown.allSatisfy { owner?.isDeleting($0.id) == true }
        let shown = message.shown.filter { owner?.isDeleting($0.id) != true }
        let attachments = isDeleted ? [] : shown.flatMap(\.text.attachments)
        let (text, isMention) = parse(message.captioned)
        let isBare = !isDeleted && text.emojiCount > 0 && attachments.isEmpty
        bubble.css("outgoing", isOutgoing && !isBare)
        bubble.css("incoming", !isOutgoing && !isBare)
        bubble.css("bare", isBare)
        bubble.css("last", message.endsGroup)
        let isCall = addressesEverybody(message)
        bubble.css("mention", (isMention || isCall) && !isDeleted)

        showQuotation(message, isDeleted)
        let absence = isDeleted ? localized("This message was deleted") : message.notOpened
        showAbsence(absence)
        body.root.isVisible = !isDeleted && !message.captioned.text.body.isEmpty
        if body.root.isVisible {
            body.show(
                text, prefix: text.isAction ? message.senderName : nil,
                marking: BodyMarks(
                    search: owner?.highlight ?? "", name: isMention ? message.ownNickname : nil,
                    marksEverybody: isCall))
        }
        let link = isDeleted || !body.root.isVisible ? nil : message.captioned.text.link
        showCard(link)
        show(attachments, of: message)
        let isMediaOnly = attachments.last?.isVisual == true && !body.root.isVisible && absence == nil
        showFooter(message, isDeleted, onPictures: isMediaOnly)
        // Text wraps to the width of a picture above it.
        words.widthLimit = attachments.first?.isVisual == true ? Self.captionWidth(attachments) : nil
        words.lastText =
            absence != nil ? self.absence : body.root.isVisible && link == nil ? body.last : nil
        showReactions(message, isDeleted)
        showFailure(message)
        showSelected(owner?.selection.ids.contains(message.id) ?? false)
        spokenText = spoken(message, isDeleted)
        root.accessible(label: spokenText)
    }

    func showSelected(_ isSelected: Bool) { root.css("selected", isSelected) }

    private func showFooter(_ message: TimelineMessage, _ isDeleted: Bool, onPictures: Bool) {
        words.isVisible = !onPictures
        above?.root.isVisible = onPictures
        if onPictures, above == nil {
            let pill = MessageFooter()
            pill.root.css("on-picture").align(horizontal: .end, vertical: .end)
            pill.onState = { [weak self] in self?.owner?.explain($0) }
            media.add(pill.root)
            above = pill
        }
        footer = onPictures ? above ?? below : below
        footer.show(message, isDeleted: isDeleted)
    }

    /// In pixels: wide enough for a few words under a small picture.
    private static let minimumCaptionWidth = 200

    private static func captionWidth(_ attachments: [Attachment]) -> Int {
        if attachments.count > 1 { return AlbumLayout.width }
        return max(minimumCaptionWidth, attachments.map { Int(PictureView.size($0).width) }.max() ?? 0)
    }

    /// Whether a moderator addresses everybody.
    private func addressesEverybody(_ message: TimelineMessage) -> Bool {
        guard message.ownNickname != nil, !message.isOutgoing, let nickname = message.sender.resource,
            EverybodyMention.first(in: message.text.body) != nil
        else { return false }
        return services.mayAddressEverybody(nickname)
    }

    private func parse(_ message: TimelineMessage) -> (body: MessageBody, isMention: Bool) {
        if let parsed, parsed.text == message.text.body, parsed.name == message.ownNickname {
            return (parsed.body, parsed.isMention)
        }
        let (body, isMention) = (message.body, message.mentionsUser)
        parsed = (message.text.body, message.ownNickname, body, isMention)
        return (body, isMention)
    }

    /// The name in its own colour, of which the lightness gives the contrast to the bubble.
    private func showSender(_ message: TimelineMessage) {
        guard sender.isVisible else { return }
        let color = message.senderColor.rgb(lightness: Self.nameLightness(Scheme.current.isDark))
        let markup = "<span foreground=\"\(color.hexadecimal)\">\(Markup.escape(message.senderName))</span>"
        if sender.markup != markup { sender.show(markup: markup) }
    }

    /// In HSLuv: a contrast of at least 4.5:1 to the bubbles of others.
    private static func nameLightness(_ isDark: Bool) -> Double { isDark ? 72 : 42 }

    /// Called when the style has changed between light and dark.
    func restyle() { if let message { showSender(message) } }

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
        showAvatar()
    }

    /// Shows the picture of the sender as it is now.
    func showAvatar() {
        guard let message, let picture else { return }
        picture.show(
            name: message.senderName,
            hash: message.avatarHash ?? services.occupantAvatar(message.senderIdentity), of: message.senderIdentity)
    }

    private func showQuotation(_ message: TimelineMessage, _ isDeleted: Bool) {
        guard let answered = message.quotation, !isDeleted else {
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
            if absence == nil { words.insert(label, after: body.root) }
            label.text = sentence
            absence = label
        }
        absence?.isVisible = sentence != nil
    }

    private func showCard(_ link: LinkCards.Card?) {
        guard let link else {
            card?.root.isVisible = false
            return
        }
        let view = card ?? LinkCardView { [services] in LinkWarning.open($0, over: services.window.window()) }
        if card == nil { words.insert(view.root, after: body.root) }
        card = view
        view.show(link)
    }

    private func showReactions(_ message: TimelineMessage, _ isDeleted: Bool) {
        let groups = isDeleted ? [] : message.reactions
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
            view.onWhy = { [weak self] in
                if let self, let message = self.message { self.owner?.explain(message) }
            }
            column.append(view.root)
            failure = view
        }
        failure?.show(reason)
    }

    // MARK: Attachments

    /// The files of a row: those of one message, or of all messages of an album.
    private func show(_ attachments: [Attachment], of message: TimelineMessage) {
        media.isVisible = !attachments.isEmpty
        bubble.css("media", attachments.first?.isVisual == true)
        guard attachments != shownAttachments || views.count != attachments.count else { return }
        shownAttachments = attachments
        clearFiles()
        let contexts = message.shown.filter { owner?.isDeleting($0.id) != true }.flatMap(contexts)
        defer { showLines(of: contexts) }
        guard contexts.count > 1, attachments.allSatisfy(\.isVisual) else {
            for context in contexts { append(view(of: context), to: files) }
            return
        }
        var rest = contexts[...]
        for row in AlbumLayout.rows(contexts.count) {
            let line = Box.horizontal(spacing: AlbumLayout.gap)
            let tile = AlbumLayout.tile(row)
            for context in rest.prefix(row) { append(view(of: context, tile: tile), to: line) }
            rest = rest.dropFirst(row)
            files.append(line)
        }
    }

    private func contexts(_ message: TimelineMessage) -> [AttachmentContext] {
        let downloads = services.downloads()
        return message.text.attachments.enumerated().map { index, attachment in
            AttachmentContext(
                message: message, index: index, attachment: attachment, playback: services.playback,
                download: downloads?.download(of: message.id, at: index, attachment: attachment),
                open: { [weak self] in self?.owner?.open($0, $1) },
                showToast: services.window.showToast)
        }
    }

    private func view(of context: AttachmentContext, tile: (width: Int, height: Int)? = nil) -> any AttachmentView {
        switch context.attachment.kind {
        case .picture: PictureView(context, tile: tile)
        case .voice: VoiceView(context)
        case .video: VideoView(context, tile: tile)
        case .file: FileView(context)
        }
    }

    /// A file without an address goes from device to device, or is uploaded first.
    private func showLines(of contexts: [AttachmentContext]) {
        for context in contexts where context.attachment.url == nil {
            guard let download = context.download else { continue }
            let line = DirectFileLine(download)
            directLines.append(line)
            files.append(line.root)
        }
    }

    private func append(_ view: any AttachmentView, to box: Box) {
        views.append(view)
        box.append(view.root)
    }

    private func clearFiles() {
        for view in views { view.clear() }
        views = []
        directLines = []
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

    private func spoken(_ message: TimelineMessage, _ isDeleted: Bool) -> String {
        let name = message.isOutgoing ? localized("You") : message.senderName
        var parts = [name]
        if isDeleted {
            parts.append(localized("This message was deleted"))
        } else if let sentence = message.notOpened {
            parts.append(sentence)
        } else {
            parts += message.shown.flatMap(\.text.attachments).map(\.spokenName)
            let body = message.captioned.text.body
            if !body.isEmpty { parts.append(TextFold(body).text) }
            if message.isEdited { parts.append(localized("edited")) }
        }
        // What could not be decrypted has its sentence already.
        if let mark = message.mark, mark != .notOpened {
            parts.append(Wording.protection(of: message) ?? Wording.protection(mark))
        }
        parts.append(Wording.clock(message.time))
        if message.isOutgoing { parts.append(Wording.state(message.commonState)) }
        return parts.joined(separator: ", ")
    }
}

extension Attachment {
    /// Whether it is shown as a picture.
    var isVisual: Bool { kind == .picture || kind == .video }

    /// What a screen reader says: the name of a file, and of everything else only what it is.
    fileprivate var spokenName: String {
        guard kind == .file, let name else { return Wording.kind(kind) }
        return localized("File: %@", name)
    }
}
