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
    let files: BubbleFiles
    private let words: FooterColumn
    let body: BodyView
    /// The last text and its parsed body.
    private(set) var parsed: (text: String, name: String?, body: MessageBody, isMention: Bool)?
    /// Whether it is marked because a moderator addresses everybody.
    private var isCall = false
    private let below = MessageFooter()
    /// The footer that stands on pictures.
    private var above: MessageFooter?
    /// The footer that is shown.
    private(set) var footer: MessageFooter
    private let overlay: Overlay
    // Parts that many messages do not have are created on demand: GTK computes the style also of what is hidden.
    private(set) var sender: Label?
    private var media: Overlay?
    private(set) var quotation: QuotationView?
    private(set) var absence: Label?
    private(set) var card: LinkCardView?
    private(set) var reactions: ReactionsView?
    private(set) var failure: FailureView?
    private(set) var picture: AvatarImage?
    private let column: SideColumn

    init(_ owner: (any TimelineOwner)?, _ services: TimelineServices) {
        self.owner = owner
        self.services = services
        footer = below
        words = FooterColumn(footer: below.root, spacing: 3, gap: 10).css("said")
        body = BodyView(in: words) { LinkWarning.ask($0, over: services.window.window()) }
        files = BubbleFiles(owner, services)
        bubble.append(words)
        bubble.clipped()
        column = SideColumn(spacing: 3, bubble).expand(.horizontal)
        // Wrapping labels must not be in a horizontal box: GTK 4.8 gives them their natural width there.
        overlay = Overlay(column)
        root = overlay
        root.css("message").focusable(true)
        below.onState = { [weak self] in self?.owner?.actions.explain($0) }
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
        showSender(showsSender && message.beginsGroup, message)

        let isDeleted = message.isRetracted || message.shown.allSatisfy { owner?.actions.isDeleting($0.id) == true }
        let shown = isDeleted ? [] : message.shown.filter { owner?.actions.isDeleting($0.id) != true }
        let attachments = shown.flatMap(\.text.attachments)
        let (text, isMention) = parse(message.captioned)
        let isBare = !isDeleted && text.emojiCount > 0 && attachments.isEmpty
        bubble.css("outgoing", isOutgoing && !isBare)
        bubble.css("incoming", !isOutgoing && !isBare)
        bubble.css("bare", isBare)
        bubble.css("last", message.endsGroup)
        isCall = addressesEverybody(message)
        bubble.css("mention", (isMention || isCall) && !isDeleted)

        showQuotation(message, isDeleted)
        let absence = isDeleted ? localized("This message was deleted") : message.notOpened
        showAbsence(absence)
        body.isVisible = !isDeleted && !message.captioned.text.body.isEmpty
        if body.isVisible {
            body.show(
                text, prefix: text.isAction ? message.senderName : nil,
                marking: BodyMarks(
                    search: owner?.highlight ?? "", name: isMention ? message.ownNickname : nil,
                    marksEverybody: isCall))
        }
        let link = isDeleted || !body.isVisible ? nil : message.captioned.text.link
        showCard(link)
        bubble.css("media", attachments.first?.isVisual == true)
        showFiles(shown, isShown: !attachments.isEmpty)
        let isMediaOnly = attachments.last?.isVisual == true && !body.isVisible && absence == nil
        showFooter(message, isDeleted, onPictures: isMediaOnly)
        // Text wraps to the width of a picture above it.
        words.widthLimit = BubbleFiles.captionWidth(attachments)
        words.lastText =
            absence != nil ? self.absence : body.isVisible && link == nil ? body.last : nil
        showReactions(message, isDeleted)
        showFailure(message)
        showSelected(owner?.selection.ids.contains(message.id) ?? false)
        spokenText = message.spoken(isDeleted: isDeleted)
        root.accessible(label: spokenText)
    }

    func showSelected(_ isSelected: Bool) { root.css("selected", isSelected) }

    private func showFiles(_ messages: [TimelineMessage], isShown: Bool) {
        files.show(messages)
        media?.isVisible = isShown
        guard isShown, media == nil else { return }
        let overlay = Overlay(files.root)
        bubble.insert(overlay, after: quotation?.root ?? sender)
        media = overlay
    }

    private func showFooter(_ message: TimelineMessage, _ isDeleted: Bool, onPictures: Bool) {
        words.isVisible = !onPictures
        above?.root.isVisible = onPictures
        if onPictures, above == nil {
            let pill = MessageFooter()
            pill.root.css("on-picture").align(horizontal: .end, vertical: .end)
            pill.onState = { [weak self] in self?.owner?.actions.explain($0) }
            media?.add(pill.root)
            above = pill
        }
        footer = onPictures ? above ?? below : below
        footer.show(message, isDeleted: isDeleted)
    }

    /// Draws the message again if its author has come to be one who addresses everybody, or is none any more.
    func showCall() { if let message, addressesEverybody(message) != isCall { show(message) } }

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

    private func showSender(_ isShown: Bool, _ message: TimelineMessage) {
        sender?.isVisible = isShown
        guard isShown else { return }
        if sender == nil {
            let label = Label().ellipsize().textAlignment(0).css("sender")
            bubble.prepend(label)
            sender = label
        }
        colorSender(message)
    }

    /// The name in its own colour, of which the lightness gives the contrast to the bubble.
    private func colorSender(_ message: TimelineMessage) {
        guard let sender, sender.isVisible else { return }
        let color = message.senderColor.rgb(lightness: Self.nameLightness(Scheme.current.isDark))
        let markup = "<span foreground=\"\(color.hexadecimal)\">\(Markup.escape(message.senderName))</span>"
        if sender.markup != markup { sender.show(markup: markup) }
    }

    /// In HSLuv: a contrast of at least 4.5:1 to the bubbles of others.
    private static func nameLightness(_ isDark: Bool) -> Double { isDark ? 72 : 42 }

    /// Called when the style has changed between light and dark.
    func restyle() { if let message { colorSender(message) } }

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
            view.onJump = { [weak self] in self?.owner?.position.jump(to: $0) }
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
            if absence == nil { words.insert(label, after: body.end) }
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
        if card == nil { words.insert(view.root, after: body.end) }
        card = view
        view.show(link)
    }

    private func showReactions(_ message: TimelineMessage, _ isDeleted: Bool) {
        let groups = isDeleted ? [] : message.reactions
        if !groups.isEmpty, reactions == nil {
            let view = ReactionsView()
            view.onToggle = { [weak self] emoji in
                if let self, let message = self.message { self.owner?.actions.toggleReaction(emoji, message) }
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
                if let self, let message = self.message { self.owner?.actions.retry(message) }
            }
            view.onWhy = { [weak self] in
                if let self, let message = self.message { self.owner?.actions.explain(message) }
            }
            column.append(view.root)
            failure = view
        }
        failure?.show(reason)
    }

    /// Called when the row may have become visible.
    func wake() { files.wake() }

    /// Called when the row is not visible any more.
    func clear() {
        files.clear()
        message = nil
    }

    /// Highlights the bubble for a moment, after a jump to it.
    func flash() {
        bubble.css("flash", true)
        Task { [bubble] in
            try? await Task.sleep(for: .seconds(1.5))
            bubble.css("flash", false)
        }
    }
}
