internal import CGTK

/// What shows notifications on a desktop, by the specification of freedesktop.org, with the extension that lets an answer be typed
/// into them (`inline-reply`), which GIO does not know.
///
/// Numbers and capabilities are those of the server that runs: another one that takes its place knows nothing of them, and what
/// the first one showed has gone with it.
// The attribute is written out: with the module's default only, modules that import this one do not compile for release.
@MainActor
public final class NotificationServer {
    /// The extension.
    private static let typing = "inline-reply"
    private static let interface = MessageBus.Interface(
        "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications")

    private struct Shown {
        let number: UInt32
        let content: NotificationContent
    }

    /// A notification or one of its buttons was clicked; `nil` shows the program.
    public var onAction: (NotificationAction?) -> Void = { _ in }
    /// An answer was typed.
    public var onReply: (_ target: String, _ text: String) -> Void = { _, _ in }

    private let bus: MessageBus
    private let program: String
    private let desktopEntry: String
    /// What the server that runs can do; `nil` until it was asked.
    private var capabilities: Set<String>?
    private var shown: [String: Shown] = [:]
    private var subscriptions: [MessageBus.Subscription] = []

    /// - Parameters:
    ///   - program: its name, for the person.
    ///   - desktopEntry: the name of its desktop file, by which the server knows the person's settings for it.
    public init(_ bus: MessageBus, program: String, desktopEntry: String) {
        self.bus = bus
        self.program = program
        self.desktopEntry = desktopEntry
        subscriptions = [
            bus.onNewOwner(of: Self.interface.name) { [weak self] in self?.forget() },
            bus.on(of: Self.interface) { [weak self] in self?.happened($0, $1) },
        ]
    }

    isolated deinit { for subscription in subscriptions { bus.end(subscription) } }

    /// What is shown now, by the program's own names.
    public var names: Set<String> { Set(shown.keys) }

    /// Shows a notification, which replaces the one with the same name.
    ///
    /// - Returns: whether the server took it: one into which nothing can be typed is left to GIO.
    public func show(_ content: NotificationContent, id: String) async -> Bool {
        guard let capabilities = await askCapabilities(), capabilities.contains(Self.typing) else { return false }
        var picture: NotificationPicture?
        if let bytes = content.picture { picture = await NotificationPicture.decoded(bytes) }
        let arguments = [
            Variant(program), Variant(shown[id]?.number ?? 0), Variant(""), Variant(content.title),
            Variant(capabilities.contains("body-markup") ? Self.escaped(content.body) : content.body),
            Variant(Self.actions(content)), Variant(hints(content, picture)), Variant(Int32(-1)),
        ]
        let answer = try? await bus.call("Notify", of: Self.interface, arguments, gives: "(u)")
        guard let number = answer?[0]?.number else { return false }
        shown[id] = Shown(number: number, content: content)
        if content.isAudible, !capabilities.contains("sound") { Bell.ring() }
        return true
    }

    /// - Returns: whether the server has answered; it may have gone meanwhile, and the notification with it.
    @discardableResult
    public func close(_ id: String) async -> Bool {
        guard let number = shown.removeValue(forKey: id)?.number else { return true }
        return (try? await bus.call("CloseNotification", of: Self.interface, [Variant(number)], gives: "()")) != nil
    }

    private func askCapabilities() async -> Set<String>? {
        if let capabilities { return capabilities }
        // Asking starts a server that the bus can start.
        let answer = try? await bus.call("GetCapabilities", of: Self.interface, gives: "(as)")
        capabilities = answer?[0].map { Set($0.texts) }
        return capabilities
    }

    private func forget() {
        capabilities = nil
        shown = [:]
    }

    private func happened(_ signal: String, _ values: Variant) {
        guard let number = values[0]?.number, let (id, known) = shown.first(where: { $0.value.number == number })
        else { return }
        switch signal {
        case "NotificationClosed": shown[id] = nil
        case "NotificationReplied":
            guard let reply = known.content.reply, let text = values[1]?.text else { return }
            onReply(reply.action.target, text)
        case "ActionInvoked":
            guard let key = values[1]?.text else { return }
            if key == "default" { return onAction(known.content.click) }
            if let index = Int(key), known.content.buttons.indices.contains(index) {
                onAction(known.content.buttons[index].action)
            }
        default: break
        }
    }

    // MARK: Sending

    /// Pairs of a key and what is written on the button; the first is for a click on the notification itself.
    private static func actions(_ content: NotificationContent) -> [String] {
        var actions = ["default", ""]
        if let reply = content.reply { actions += [typing, reply.label] }
        for (index, button) in content.buttons.enumerated() { actions += [String(index), button.label] }
        return actions
    }

    private func hints(_ content: NotificationContent, _ picture: NotificationPicture?) -> [String: Variant] {
        var hints = [
            "desktop-entry": Variant(desktopEntry), "category": Variant("im.received"),
            // A notification that concerns the user personally stays until it was seen.
            "urgency": Variant(UInt8(content.priority == .high ? 2 : 1)),
        ]
        if content.isAudible {
            // A name of the sound naming specification of freedesktop.org.
            hints["sound-name"] = Variant("message-new-instant")
        } else {
            hints["suppress-sound"] = Variant(true)
        }
        if let reply = content.reply {
            hints["x-kde-reply-placeholder-text"] = Variant(reply.placeholder)
            hints["x-kde-reply-submit-button-text"] = Variant(reply.submitLabel)
        }
        hints["image-data"] = picture?.variant
        return hints
    }

    /// The body is parsed as markup, so text written by other people must be escaped.
    private static func escaped(_ text: String) -> String {
        let escaped = g_markup_escape_text(text, -1)
        defer { g_free(escaped) }
        return escaped.map { String(cString: $0) } ?? ""
    }
}
