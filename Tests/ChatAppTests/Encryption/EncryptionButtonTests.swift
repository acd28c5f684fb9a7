import ChatEngine
import ChatModel
import ChatStore
import KeyFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("The lock beside the input field")
    struct EncryptionButtonTests {
        init() throws { try #require(Toolkit.isReady) }

        private func opened(
            _ forecast: EncryptionForecast, _ picture: String?
        ) async throws -> (EncryptionSample, Window, ConversationView, EncryptionPopover) {
            let sample = try await EncryptionSample()
            sample.keys.show(forecast)
            try await sample.talk.say("But soft! What light through yonder window breaks?", ago: 3)
            let (window, view) = await sample.talk.open(height: 600)
            let lock = try #require(view.composer?.encryption)
            #expect(await Toolkit.eventually { lock.model.forecast == forecast })
            lock.open()
            #expect(await Toolkit.eventually { lock.content?.popover.isMapped == true })
            let content = try #require(lock.content)
            if let picture { await Toolkit.picture(window, picture, with: content.popover) }
            return (sample, window, view, content)
        }

        private func end(_ sample: EncryptionSample, _ window: Window, _ view: ConversationView) async {
            window.destroy()
            view.close()
            await sample.talk.end()
        }

        @Test("an encrypted conversation says who can read, and the choice is stored")
        func encrypted() async throws {
            let (sample, window, view, content) = try await opened(
                EncryptionForecast(.encrypted, policy: .whenPossible), "encryption-encrypted")
            #expect(content.title.text == "Encrypted")
            #expect(content.explanation.text == "Only you and Romeo can read your messages. The servers cannot.")
            #expect(content.devices.isVisible)
            content.choices.buttons.first { $0.policy == .always }?.button.isActive = true
            #expect(await Toolkit.eventually { sample.keys.chosen == [.always] })
            content.choices.buttons.first { $0.policy == nil }?.button.isActive = true
            #expect(await Toolkit.eventually { sample.keys.chosen == [.always, nil] })
            await end(sample, window, view)
        }

        @Test("devices that will not be able to read are listed with the reason")
        func partly() async throws {
            let romeo = try JID("romeo@montague.example")
            let (sample, window, view, content) = try await opened(
                EncryptionForecast(
                    .encrypted, policy: .whenPossible,
                    unreadable: [
                        .init(romeo, device: "1618033", .undecided), .init(romeo, device: "577215", .bundleMissing),
                        .init(try JID("juliet@capulet.example"), device: "99", .unused),
                    ]), "encryption-partly")
            #expect(content.title.text == "Encrypted, but not readable on all devices")
            #expect(
                content.lines.map { [$0.who.text, $0.why.text] } == [
                    ["Romeo · Device 1618033", "New key: not decided yet"],
                    ["Romeo · Device 577215", "Has not published its keys"],
                    ["You · Device 99", "Unused for a month, and you have excluded such devices"],
                ])
            await end(sample, window, view)
        }

        @Test("in a room, everybody who will not be able to read is listed with the address")
        func room() async throws {
            let sample = try await EncryptionSample()
            let people = try ["benvolio", "mercutio", "abram", "balthasar", "sampson", "gregory"].map {
                try JID("\($0)@verona.example")
            }
            sample.keys.show(
                EncryptionForecast(
                    .encrypted, policy: .always, isOwnPolicy: true,
                    unreadable: people.enumerated().map { index, person in
                        index < 2 ? .init(person, .noDevice) : .init(person, device: "\(index)0417", .undecided)
                    }))
            let key = ConversationKey(
                account: sample.talk.account, address: try JID("orchard@rooms.verona.example"), kind: .room)
            let keys = sample.keys
            let lock = EncryptionButton(EncryptionModel(key, service: keys, events: { keys.events() })) {
                sampleWords("The Orchard")
            }
            let window = Window(
                sampleWords("The Orchard"), width: 420, height: 640, over: nil,
                Box.vertical(lock.button.align(horizontal: .start, vertical: .end).expand(.vertical)))
            window.present()
            #expect(await Toolkit.eventually { lock.model.sign == .partly && window.width > 0 })
            lock.open()
            #expect(await Toolkit.eventually { lock.content?.popover.isMapped == true })
            let content = try #require(lock.content)
            #expect(content.lines.map(\.who.text).first == "benvolio@verona.example")
            #expect(content.lines.map(\.who.text).last == "gregory@verona.example · Device 50417")
            #expect(!content.devices.isVisible)
            await Toolkit.picture(window, "encryption-room", with: content.popover)
            window.destroy()
            lock.close()
            await sample.talk.end()
        }

        @Test("what the lock opens is not wider than the window, also after the window or the text has another size")
        func narrow() async throws {
            let romeo = try JID("romeo@montague.example")
            let (sample, window, view, content) = try await opened(
                EncryptionForecast(
                    .encrypted, policy: .whenPossible,
                    unreadable: [.init(romeo, device: "1618033", .undecided), .init(romeo, device: "577215", .unused)]),
                nil)
            let lock = try #require(view.composer?.encryption)
            #expect(await Toolkit.eventually { content.popover.width > 300 })
            let wide = content.popover.width
            defer { ToolkitSettings.zoomText(1) }
            for (width, text) in [(342, 1.0), (342, 2.0), (560, 1.0)] {
                lock.button.close()
                #expect(await Toolkit.eventually { !content.popover.isMapped })
                ToolkitSettings.zoomText(text)
                let borders = await Toolkit.borders(of: window)
                // In a lower window it scrolls with text of twice the size.
                window.setDefaultSize(width: width + borders, height: text == 1 ? 640 : 800)
                #expect(await Toolkit.eventually { text == 1 ? window.width == width : window.width >= width })
                await Toolkit.settle()
                lock.open()
                #expect(await Toolkit.eventually { content.popover.isMapped && content.popover.width > 0 })
                await Toolkit.settle()
                #expect(content.popover.width <= window.width, "\(width), \(text)")
                // All of it is there without scrolling.
                let devices = try #require(content.devices.frame(in: content.popover))
                #expect(devices.y + devices.height <= Double(content.popover.height), "\(width), \(text)")
                // Not narrower than it must be, either.
                if width > wide { #expect(content.popover.width == wide) }
            }
            await end(sample, window, view)
        }

        @Test("what the lock has opened stays within the window while that becomes narrower and wider")
        func narrowWhileOpen() async throws {
            let romeo = try JID("romeo@montague.example")
            let (sample, window, view, content) = try await opened(
                EncryptionForecast(
                    .encrypted, policy: .whenPossible, unreadable: [.init(romeo, device: "1618033", .undecided)]), nil)
            #expect(await Toolkit.eventually { content.popover.width > 300 })
            let wide = content.popover.width
            let borders = await Toolkit.borders(of: window)
            for width in [370, 342, 560] {
                window.setDefaultSize(width: width + borders, height: 640)
                #expect(await Toolkit.eventually { window.width == width })
                #expect(
                    await Toolkit.eventually {
                        width > wide ? content.popover.width == wide : content.popover.width <= width
                    }, "\(width): \(content.popover.width)")
                #expect(content.popover.isMapped)
                // All of it is there without scrolling.
                #expect(
                    await Toolkit.eventually {
                        guard let devices = content.devices.frame(in: content.popover) else { return false }
                        return devices.y + devices.height <= Double(content.popover.height)
                    }, "\(width)")
            }
            await end(sample, window, view)
        }

        @Test("clear text says why")
        func clear() async throws {
            let romeo = try JID("romeo@montague.example")
            let (sample, window, view, content) = try await opened(
                EncryptionForecast(.clear(.noDevice([romeo])), policy: .whenPossible), "encryption-clear")
            #expect(
                content.explanation.text
                    == "Romeo has no device that can decrypt. The servers can read your messages.")
            await end(sample, window, view)
        }

        @Test("a message that would be refused stays in the field, and the popover says what to do")
        func refused() async throws {
            let (sample, window, view, content) = try await opened(
                EncryptionForecast(.refused(.undecided), policy: .always), "encryption-refused")
            let composer = try #require(view.composer)
            composer.encryption?.button.close()
            #expect(await Toolkit.eventually { !content.popover.isMapped })
            composer.entry.insert("By whose direction found'st thou out this place?")
            composer.sendText()
            #expect(await Toolkit.eventually { content.popover.isMapped })
            #expect(composer.entry.text == "By whose direction found'st thou out this place?")
            #expect(try await sample.talk.messages().count == 1)
            #expect(
                content.explanation.text
                    == "Romeo has a new key, and you have not decided whether you trust it. Your messages are not sent. Look at the devices and decide."
            )
            // The decision was made elsewhere: the message goes.
            sample.keys.show(EncryptionForecast(.encrypted, policy: .always))
            composer.sendText()
            #expect(await Toolkit.eventually { composer.entry.text.isEmpty })
            await end(sample, window, view)
        }

        @Test("messages have marks with a text, and changes of keys stand between them")
        func timeline() async throws {
            let sample = try await EncryptionSample()
            let key = sample.talk.key
            let scheme = "urn:xmpp:omemo:2"
            let clear = try await sample.talk.say("But soft!", ago: 60)
            let now = MessageTime.now
            let said: [(String, MessageProtection)] = [
                (
                    sampleWords("What light through yonder window breaks?"),
                    .encrypted(scheme: scheme, device: nil, trust: .trusted)
                ),
                (
                    sampleWords("It is the east, and Juliet is the sun"),
                    .encrypted(scheme: scheme, device: nil, trust: .verified)
                ),
                ("", .notOpened(scheme: scheme, reason: "key-missing")),
                (sampleWords("Ay me!"), .none),
                (
                    sampleWords("But soft!"), .encrypted(scheme: scheme, device: nil, trust: .undecided)
                ),
                ("", .notOpened(scheme: scheme, reason: "other-device")),
                ("", .notOpened(scheme: scheme, reason: "damaged")),
                ("", .notOpened(scheme: scheme, reason: "forged")),
            ]
            var ids: [MessageID] = []
            for (index, (body, protection)) in said.enumerated() {
                ids.append(
                    try await sample.talk.write { store throws(StoreError) in
                        try store.receive(
                            MessageCopy(
                                route: .live, sender: key.address, wireID: "e\(index)", originID: "e\(index)",
                                time: now.advanced(by: Int64(index - 10) * 60_000), content: .text(MessageText(body)),
                                protection: protection), in: key
                        ).id
                    })
            }
            try await sample.talk.write { store throws(StoreError) in
                try store.save(
                    ProtectionChange(
                        [],
                        notices: [
                            ConversationNotice(.began, in: key.conversation, at: now.advanced(by: -11 * 60_000)),
                            ConversationNotice(
                                .changedKey, in: key.conversation, at: now.advanced(by: -8 * 60_000 - 1),
                                key: .init(key.address, device: 12, fingerprint: EncryptionSample.digits(5))),
                            ConversationNotice(
                                .newKey, in: key.conversation, at: now.advanced(by: -2 * 60_000),
                                key: .init(sample.talk.juliet, device: 99, fingerprint: EncryptionSample.digits(6))),
                            ConversationNotice(.ended, in: key.conversation, at: now.advanced(by: -60_000)),
                        ]), of: key.account)
            }
            let (window, view) = await sample.talk.open(height: 860)
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: ids[3])?.root.height ?? 0 > 0 })
            #expect(timeline.bubble(of: clear)?.footer.protection?.widget.isVisible != true)
            #expect(
                ids.map { timeline.bubble(of: $0)?.footer.protection?.text } == [
                    "Encrypted", "Encrypted, key verified", "Could not be decrypted", "Not encrypted",
                    "Encrypted with a key that you do not trust", "Could not be decrypted", "Could not be decrypted",
                    "Could not be decrypted",
                ])
            // Only clear text has words beside its symbol.
            #expect(
                ids.map { timeline.bubble(of: $0)?.footer.protection?.label.isVisible } == [
                    false, false, false, true, false, false, false, false,
                ])
            #expect(
                timeline.rows.compactMap { row in
                    if case .notice? = row.item { row.notice?.label.text } else { nil }
                } == [
                    "Messages are encrypted from here on",
                    "The key of a device of Romeo has changed. Nothing is encrypted for it until you decide.",
                    "Your account uses a new key. Nothing is encrypted for it until you decide.",
                    "You have turned encryption off: messages are not encrypted from here on",
                ])
            let buttons = timeline.rows.compactMap { row in
                if case .notice? = row.item { row.notice?.devices.isVisible } else { nil }
            }
            #expect(buttons == [false, true, true, false])
            await Toolkit.picture(window, "timeline-protection")
            await end(sample, window, view)
        }

        @Test("the page of a contact says whether messages are encrypted, and opens the devices")
        func page() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            let id = ContactRow.ID(account: sample.talk.account, address: sample.talk.romeo)
            let window = try #require(ContactWindow.show(id, sample.talk.context, over: nil))
            let group = try #require(window.view.encryption)
            #expect(await Toolkit.eventually { group.model.sign == .encrypted })
            #expect(group.devices.isVisible && group.policy.selected == 0)
            window.window.setDefaultSize(width: 420, height: 900)
            await Toolkit.picture(window.window, "contact-encryption")
            group.policy.selected = 3
            #expect(await Toolkit.eventually { sample.keys.chosen == [.never] })
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }
    }
}
