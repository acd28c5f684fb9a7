import ChatStore
import Foundation
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

extension WindowTests {
    /// The program as in everyday use.
    @MainActor
    @Suite("Everyday")
    struct EverydayTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("one conversation shows all kinds of messages, and the list leaves most of the width to them")
        func conversation() async throws {
            let folder = NSTemporaryDirectory() + "everyday-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let media = try await MediaCache.open(at: folder, budget: 100 << 20)
            let sample = try await TalkSample(media: media, isEnabled: false)
            let (photo, voice, failed) = try await talk(sample, media)
            try await others(sample)
            let window = try MainWindow.shown(sample.context)
            #expect(await Toolkit.eventually { window.conversations.model.count == 5 })
            window.open(sample.key)
            let timeline = try #require(window.conversation?.timeline)
            #expect(await Toolkit.eventually { timeline.bubble(of: failed) != nil })
            #expect(
                await Toolkit.eventually {
                    (timeline.bubble(of: photo)?.files.views.first as? PictureView)?.isShown == true
                })
            #expect(
                await Toolkit.eventually {
                    (timeline.bubble(of: voice)?.files.views.first as? VoiceView)?.length.text == "0:07"
                })
            // There is only the caption below the picture.
            #expect(
                await Toolkit.eventually { (210...290).contains(timeline.bubble(of: photo)?.bubble.height ?? 0) })
            #expect(window.conversation?.composer?.attach.isVisible == true)
            #expect(await Toolkit.eventually { window.window.width > 900 })
            await Toolkit.settle()
            #expect((260...340).contains(window.conversations.root.width), "\(window.conversations.root.width)")
            await Toolkit.picture(window.window, "main")
            window.close(permanently: true)
            await sample.end()
        }

        /// The messages of Juliet and Romeo: one with a picture, one with a voice message, one that failed.
        private func talk(_ sample: TalkSample, _ media: MediaCache) async throws -> (MessageID, MessageID, MessageID) {
            try await sample.save(StoredContact(address: sample.romeo, name: sampleWords("Romeo"), subscription: .both))
            let (romeo, account) = (sample.romeo, sample.account)
            sample.home.contacts.show(
                presences: [
                    romeo: ContactPresence(
                        section: .online, status: sampleWords("Under the balcony"), devices: ["desk"])
                ], of: account)
            try await sample.say(
                "Good night, good night! Parting is such sweet sorrow.", ago: 1450)
            let own = try await sample.say(
                "Did you see the geese over the hills this evening?", ago: 42, isOwn: true)
            try await sample.write { store throws(StoreError) in try store.advance(own, to: .displayed) }
            let bytes = WritingSample.picture(960, 600)
            let picture = Attachment(
                kind: .picture, mediaType: "image/bmp", name: "geese.bmp", size: Int64(bytes.count), width: 960,
                height: 600, contentHash: try await media.insert(bytes).description, isLocal: true)
            let photo = try await sample.say(
                .text(MessageText(sampleWords("They carry my letters to you."), attachments: [picture])),
                ago: 40)
            let target = sample.lastReference
            let answer = try await sample.say(
                .text(MessageText(sampleWords("What a sky! 🌹"), reply: target)), ago: 38, isOwn: true)
            try await sample.write { store throws(StoreError) in try store.advance(answer, to: .displayed) }
            try await sample.say(.reactions(to: sample.lastReference, ["❤️"]), ago: 37)
            let sound = WritingSample.sound(seconds: 7)
            let spoken = Attachment(
                kind: .voice, mediaType: "audio/wav", size: Int64(sound.count), duration: 7_000,
                contentHash: try await media.insert(sound).description, isLocal: true)
            let voice = try await sample.say(.text(MessageText("", attachments: [spoken])), ago: 12)
            try await sample.say("I shall be at the window at ten", ago: 9, isOwn: true)
            try await sample.say(
                .correction(
                    of: sample.lastReference,
                    MessageText(sampleWords("I shall be at the window at nine."))), ago: 8, isOwn: true)
            let failed = try await sample.say("Bring the letter!", ago: 1, isOwn: true)
            try await sample.write { store throws(StoreError) in
                try store.advance(
                    failed, to: .failed(FailureReason(.refused, condition: "remote-server-timeout")))
                try store.markRead(upTo: failed)
            }
            return (photo, voice, failed)
        }

        /// Further conversations in the list.
        private func others(_ sample: TalkSample) async throws {
            let nurse = try sample.key("nurse@capulet.example")
            let mercutio = try sample.key("mercutio@verona.example")
            let friar = try sample.key("laurence@verona.example")
            let orchard = try sample.key("\(sampleWords("orchard"))@rooms.example", .room)
            try await sample.save(
                StoredContact(address: nurse.address, name: sampleWords("Nurse"), subscription: .both))
            try await sample.save(
                StoredContact(address: mercutio.address, name: sampleWords("Mercutio"), subscription: .both))
            try await sample.save(
                StoredContact(address: friar.address, name: sampleWords("Friar Laurence"), subscription: .both))
            try await sample.say(
                "Who brings the torches?", ago: 55,
                from: try JID("\(orchard.address)/\(sampleWords("Benvolio"))"), in: orchard)
            try await sample.say("Madam! Your mother calls.", ago: 90, in: nurse)
            try await sample.say(
                .text(MessageText("", attachments: [Attachment(kind: .voice, duration: 12_000)])), ago: 300,
                in: mercutio)
            let last = try await sample.say(
                "Wisely and slow; they stumble that run fast.", ago: 3000, in: friar)
            let draft = sampleWords("I am coming")
            try await sample.write { store throws(StoreError) in
                try store.markRead(upTo: last)
                guard let id = try store.conversation(nurse) else { return }
                try store.saveDraft(Draft(body: draft, time: .now), in: id)
            }
        }

        @Test("the shortcuts window fits into a narrow screen, and each key has a name")
        func shortcuts() async throws {
            let window = ShortcutsWindow.show(over: nil)
            #expect(await Toolkit.eventually { window.isMapped && window.width > 0 })
            // As narrow as an empty preferences window.
            let empty = PreferencesWindow("", over: nil)
            #expect(window.minimumWidth <= empty.minimumWidth)
            empty.destroy()
            for shortcut in Shortcuts.all {
                #expect(shortcut.keys.allSatisfy { ShortcutLabel.text($0) != nil }, "\(shortcut.keys)")
            }
            let shown = WindowCrawler.texts(of: window)
            #expect(shown.contains("Page Down") && !shown.contains { $0.contains("_") }, "\(shown)")
            await Toolkit.picture(window, "shortcuts")
            window.destroy()
        }
    }
}
