import Foundation
import GTKBinding
import ServerFixtures
import Testing
import WindowFixtures

extension GTKTests {
    /// Notifications on a private bus, with a notification server.
    @MainActor
    @Suite("Notifications")
    final class NotificationTests {
        /// One recorded call.
        private struct Line: Decodable, Equatable {
            struct Hints: Decodable, Equatable {
                let urgency: Int?
                let desktopEntry: String?
                let placeholder: String?
                let submit: String?
                let picture: [Int]?
                let sound: String?
                let isSilent: Bool?

                enum CodingKeys: String, CodingKey {
                    case urgency, picture
                    case sound = "sound-name"
                    case isSilent = "suppress-sound"
                    case desktopEntry = "desktop-entry"
                    case placeholder = "x-kde-reply-placeholder-text"
                    case submit = "x-kde-reply-submit-button-text"
                }
            }

            var id: Int?
            var closed: Int?
            var title: String?
            var body: String?
            var actions: [String]?
            var hints: Hints?
        }

        /// GIO's interface, which is used if replies are not supported.
        private final class Plain: NotificationSink {
            var sent: [String] = []
            var withdrawn: [String] = []

            func send(_ notification: NotificationContent, id: String) { sent.append(id) }
            func withdrawNotification(_ id: String) { withdrawn.append(id) }
        }

        private let bus: PrivateBus
        private let connection: MessageBus
        private let person: MessageBus.Interface
        private let server: NotificationServer
        private let plain = Plain()
        private let notifications: DesktopNotifications
        private var actions: [NotificationAction?] = []
        private var replies: [String] = []

        init() throws {
            try #require(Toolkit.isReady)
            bus = try PrivateBus()
            connection = try MessageBus(address: bus.address)
            person = MessageBus.Interface(
                "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications", interface: "im.hongyan.Test")
            server = NotificationServer(connection, program: "Hongyan", desktopEntry: "im.hongyan.Hongyan")
            notifications = DesktopNotifications(server, otherwise: plain)
            server.onAction = { [weak self] in self?.actions.append($0) }
            server.onReply = { [weak self] in self?.replies.append("\($0): \($1)") }
        }

        private func lines(_ desktop: PrivateNotifications) -> [Line] {
            desktop.lines.compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        }

        private func does(_ what: String, _ values: Variant...) async throws {
            let loop = Task { _ = await Toolkit.eventually { Task.isCancelled } }
            defer { loop.cancel() }
            _ = try await connection.call(what, of: person, values, gives: "()", timeout: .seconds(30))
        }

        private func message(_ body: String, picture: [UInt8]? = nil) -> NotificationContent {
            var content = NotificationContent("Romeo & Paris", body: body)
            content.click = NotificationAction("app.open", target: "7")
            content.reply = NotificationContent.Reply(
                "Reply", placeholder: "Message", submitLabel: "Send",
                action: NotificationAction("app.reply", target: "7"))
            content.addButton("Mark as Read", NotificationAction("app.read", target: "7"))
            content.picture = picture
            return content
        }

        @Test(
            "the call contains text without markup, a reply action, a button, the sender, and the notification to replace"
        )
        func sending() async throws {
            let desktop = try PrivateNotifications(on: bus, capabilities: PrivateNotifications.typing)
            let pixels = (0..<256 * 64 * 4).map { UInt8($0 % 251) }
            let picture = await (try #require(Texture(pixels: pixels, width: 256, height: 64, stride: 1024))).png()
            notifications.send(message("<b>1 < 2</b> & more", picture: picture), id: "a")
            var mention = message("Romeo!")
            mention.priority = .high
            notifications.send(mention, id: "b")
            notifications.send(message("again", picture: Array("no picture".utf8)), id: "a")
            #expect(await Toolkit.eventually { self.lines(desktop).count == 3 })
            let lines = lines(desktop)
            #expect(lines.map(\.id) == [1, 2, 1])
            #expect(lines.first?.title == "Romeo & Paris")
            #expect(lines.first?.body == "&lt;b&gt;1 &lt; 2&lt;/b&gt; &amp; more")
            #expect(lines.first?.actions == ["default", "", "inline-reply", "Reply", "0", "Mark as Read"])
            let hints = try #require(lines.first?.hints)
            #expect(hints.desktopEntry == "im.hongyan.Hongyan")
            #expect(hints.placeholder == "Message" && hints.submit == "Send")
            #expect(hints.picture?.prefix(2) == [128, 32])
            #expect((hints.picture?.last ?? 0) >= 128 * 32 * 3)
            #expect(lines.map(\.hints?.urgency) == [1, 2, 1])
            #expect(lines.last?.hints?.picture == nil)
            #expect(plain.sent.isEmpty)
        }

        @Test("a notification makes a sound only if it is audible")
        func sound() async throws {
            let desktop = try PrivateNotifications(on: bus, capabilities: PrivateNotifications.typing + ["sound"])
            var content = message("Hark!")
            for isAudible in [true, false] {
                content.isAudible = isAudible
                notifications.send(content, id: "\(isAudible)")
                #expect(await Toolkit.eventually { self.lines(desktop).count == (isAudible ? 1 : 2) })
            }
            let hints = lines(desktop).map(\.hints)
            #expect(hints.map { $0?.sound } == ["message-new-instant", nil])
            #expect(hints.map { $0?.isSilent } == [nil, true])
        }

        @Test("actions of the user reach the program: a reply, a click, a button, and dismissing it")
        func doing() async throws {
            let desktop = try PrivateNotifications(on: bus, capabilities: PrivateNotifications.typing)
            notifications.send(message("Soft!"), id: "a")
            notifications.send(NotificationContent("Invitation", body: "to the feast"), id: "b")
            #expect(await Toolkit.eventually { self.server.names == ["a", "b"] })
            // Ids of other programs are ignored.
            try await does("Reply", Variant(UInt32(99)), Variant("not for us"))
            try await does("Reply", Variant(UInt32(1)), Variant("What light?"))
            #expect(await Toolkit.eventually { self.replies == ["7: What light?"] })
            for key in ["default", "0", "1", "unknown"] {
                try await does("Click", Variant(UInt32(1)), Variant(key))
            }
            try await does("Click", Variant(UInt32(2)), Variant("default"))
            #expect(await Toolkit.eventually { self.actions.count == 3 })
            #expect(actions.map { $0?.name } == ["app.open", "app.read", nil])
            #expect(actions.first??.target == "7")
            try await does("Dismiss", Variant(UInt32(2)))
            #expect(await Toolkit.eventually { self.server.names == ["a"] })
            notifications.withdrawNotification("a")
            notifications.withdrawNotification("b")
            #expect(await Toolkit.eventually { self.plain.withdrawn == ["a", "b"] })
            // A closed notification is not closed again.
            #expect(lines(desktop).compactMap(\.closed) == [1])
        }

        @Test("the count on the program's icon is sent when it changes, and 0 removes it")
        func badge() async throws {
            let dock = try MessageBus(address: bus.address)
            let program = MessageBus.Interface(
                connection.ownName, path: "/im/hongyan/Hongyan/launcher", interface: "com.canonical.Unity.LauncherEntry"
            )
            var told: [String] = []
            let subscription = dock.on("Update", of: program) { _, values in told.append(values.description) }
            defer { dock.end(subscription) }
            // A response of the bus shows that the subscription is active.
            let loop = Task { _ = await Toolkit.eventually { Task.isCancelled } }
            defer { loop.cancel() }
            let daemon = MessageBus.Interface("org.freedesktop.DBus", path: "/org/freedesktop/DBus")
            _ = try await dock.call("GetId", of: daemon, gives: "(s)", timeout: .seconds(30))
            let badge = LauncherBadge(connection, desktopEntry: "im.hongyan.Hongyan")
            for count in [3, 3, 4, 0] { badge.show(count) }
            #expect(await Toolkit.eventually { told.count == 3 })
            #expect(
                told == [
                    "('application://im.hongyan.Hongyan.desktop', {'count': <int64 3>, 'count-visible': <true>})",
                    "('application://im.hongyan.Hongyan.desktop', {'count': <int64 4>, 'count-visible': <true>})",
                    "('application://im.hongyan.Hongyan.desktop', {'count': <int64 0>, 'count-visible': <false>})",
                ])
        }

        @Test("another server takes over: it gets no ids of the first, and its capabilities are queried")
        func restarts() async throws {
            let first = try PrivateNotifications(on: bus, capabilities: PrivateNotifications.typing)
            notifications.send(message("one"), id: "a")
            notifications.send(message("two"), id: "b")
            #expect(await Toolkit.eventually { self.server.names == ["a", "b"] })
            first.end()
            #expect(await Toolkit.eventually { self.server.names.isEmpty })
            // There is no notification server now.
            notifications.send(message("lost"), id: "c")
            #expect(await Toolkit.eventually { self.plain.sent == ["c"] })

            let second = try PrivateNotifications(on: bus, capabilities: ["body", "actions", "inline-reply"])
            notifications.withdrawNotification("a")
            notifications.send(message("<three>"), id: "b")
            #expect(await Toolkit.eventually { self.server.names == ["b"] })
            let lines = lines(second)
            #expect(lines.count == 1 && lines.first?.id == 1)
            // It does not support markup.
            #expect(lines.first?.body == "<three>")
            second.end()

            let third = try PrivateNotifications(on: bus, capabilities: PrivateNotifications.plain)
            #expect(await Toolkit.eventually { self.server.names.isEmpty })
            notifications.send(message("four"), id: "d")
            #expect(await Toolkit.eventually { self.plain.sent == ["c", "d"] })
            #expect(self.lines(third).isEmpty)
        }

        @Test("a program that exits removes the notifications that need it for their actions")
        func ending() async throws {
            let desktop = try PrivateNotifications(on: bus, capabilities: PrivateNotifications.typing)
            notifications.send(message("one"), id: "a")
            notifications.send(message("two"), id: "b")
            var hasEnded = false
            let end = Task {
                await notifications.end()
                hasEnded = true
            }
            #expect(await Toolkit.eventually { hasEnded })
            await end.value
            #expect(lines(desktop).compactMap(\.closed).sorted() == [1, 2])
            #expect(server.names.isEmpty)
        }
    }
}
