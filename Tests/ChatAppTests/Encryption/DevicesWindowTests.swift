import CGTK
import ChatEngine
import ChatModel
import ChatStore
import Foundation
import KeyFixtures
import ServerFixtures
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Devices and Keys")
    struct DevicesWindowTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("a contact's devices are listed with trust and fingerprint, and each has the decisions that make sense")
        func list() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            let window = try #require(sample.window())
            #expect(await Toolkit.eventually { window.view.rows.count == 5 })
            let rows = window.view.rows
            #expect(rows[0].decisions == [.compare, .distrust, .forget])
            #expect(rows[2].decisions == [.compare, .trust, .distrust, .forget])
            // Without a key there is nothing to decide.
            #expect(rows[3].decisions == [] && !rows[3].menu.isVisible && !rows[3].root.isActivatable)
            #expect(rows[2].root.isActivatable)
            #expect(rows[4].decisions == [.compare, .trust, .forget])
            await Toolkit.picture(window.window, "devices")
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        /// The comparison with a device of Romeo, and the frame of what scrolls in it.
        private func comparison(
            in window: DevicesWindow
        ) async throws -> (comparison: KeyComparison, content: (x: Double, y: Double, width: Double, height: Double)) {
            #expect(await Toolkit.eventually { window.view.rows.count == 5 && window.view.model.link != nil })
            let comparison = try #require(window.view.compare(window.view.model.devices[1]))
            let dialog = comparison.dialog
            #expect(await Toolkit.eventually { dialog.width > 0 && dialog.height > 0 })
            await Toolkit.settle()
            let scroller = try #require(
                WidgetTree.ancestor(of: comparison.theirs.widget, gtk_scrolled_window_get_type()))
            let content = Widget(borrowing: UnsafeMutableRawPointer(scroller))
            return (comparison, try #require(content.frame(in: dialog)))
        }

        private func end(_ sample: EncryptionSample, _ window: DevicesWindow, _ comparison: KeyComparison) async {
            comparison.dialog.close()
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        @Test("the comparison shows the whole code without scrolling")
        func wholeCode() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            let window = try #require(sample.window())
            let (comparison, content) = try await comparison(in: window)
            let code = try #require(comparison.code.root.frame(in: comparison.dialog))
            #expect(code.height > 0 && code.y + code.height <= content.y + content.height, "\(code) in \(content)")
            await end(sample, window, comparison)
        }

        @Test("with large text all answers of a comparison are below its content and inside of the dialog")
        func largeText() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            let window = try #require(sample.window())
            ToolkitSettings.zoomText(2)
            defer { ToolkitSettings.zoomText(1) }
            let (comparison, content) = try await comparison(in: window)
            let dialog = comparison.dialog
            for answer in ["They Match", "They Differ", "Not Now"] {
                let button = try #require(
                    WidgetTree.first(in: dialog.window.widget) {
                        WidgetTree.isA($0, gtk_button_get_type()) && WidgetTree.texts(in: $0) == [answer]
                    })
                let frame = try #require(Widget(borrowing: UnsafeMutableRawPointer(button)).frame(in: dialog))
                #expect(
                    frame.y >= content.y + content.height && frame.y + frame.height <= Double(dialog.height),
                    "\(answer): \(frame)")
            }
            await end(sample, window, comparison)
        }

        @Test(
            "two people compare: matching fingerprints verify the key, differing ones distrust it, Escape does neither")
        func comparison() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            let window = try #require(sample.window())
            #expect(await Toolkit.eventually { window.view.rows.count == 5 && window.view.model.link != nil })
            let view = window.view
            let laptop = view.model.devices[1]
            let first = try #require(view.compare(laptop))
            await Toolkit.settle()
            let shown = first.theirs.text.filter { !$0.isWhitespace }
            #expect(shown == laptop.fingerprint)
            #expect(first.ours.text.filter { !$0.isWhitespace } == EncryptionSample.this.fingerprint)
            #expect(first.code.code != nil)
            await Toolkit.picture(first.dialog, "devices-compare")
            first.dialog.close()
            await Toolkit.settle()
            #expect(view.model.devices[1].trust == .trusted)
            try #require(view.compare(laptop)).dialog.answer("match")
            #expect(await Toolkit.eventually { view.model.devices[1].trust == .verified })
            #expect(await Toolkit.eventually { view.rows[1].device.trust == .verified })
            try #require(view.compare(view.model.devices[1])).dialog.answer("differ")
            #expect(await Toolkit.eventually { view.rows[1].decisions.contains(.trust) })
            // The device without a key cannot be compared.
            #expect(view.compare(view.model.devices[3]) == nil)
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        @Test("the menu of a row trusts, distrusts and forgets; forgetting asks first")
        func menu() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            let window = try #require(sample.window())
            let view = window.view
            #expect(await Toolkit.eventually { view.rows.count == 5 })
            view.rows[2].actions.activate("trust")
            #expect(await Toolkit.eventually { view.model.devices[2].trust == .trusted })
            view.rows[2].actions.activate("distrust")
            #expect(await Toolkit.eventually { view.model.devices[2].trust == .distrusted })
            let question = view.forget(view.model.devices[2])
            question.answer("cancel")
            await Toolkit.settle()
            #expect(view.rows.count == 5)
            view.forget(view.model.devices[2]).answer("forget")
            #expect(await Toolkit.eventually { view.rows.count == 4 })
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        @Test("the switch for unused devices shows what counts, and changes it")
        func unused() async throws {
            let sample = try await EncryptionSample()
            try await sample.keys.setExcludesUnusedDevices(true)
            let window = try #require(sample.ownWindow())
            let row = window.view.unused
            #expect(await Toolkit.eventually { row.isActive })
            row.control.isActive = false
            #expect(await Toolkit.eventually { !window.view.model.excludesUnused })
            let isExcluded = try await sample.keys.excludesUnusedDevices
            #expect(!isExcluded)
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        @Test("our own page has the fingerprint and a code of this device, and removes an old device")
        func own() async throws {
            let sample = try await EncryptionSample()
            sample.keys.list(
                [EncryptionSample.this, EncryptionSample.device(99, "Old laptop", .trusted, days: 60, isUnused: true)],
                of: sample.talk.juliet)
            let window = try #require(sample.ownWindow())
            let view = window.view
            #expect(await Toolkit.eventually { view.rows.count == 1 && view.code.code != nil })
            #expect(view.rows[0].decisions == [.compare, .distrust, .forget, .remove])
            await Toolkit.picture(window.window, "devices-own")
            view.remove(view.rows[0].device).answer("remove")
            #expect(await Toolkit.eventually { view.rows.isEmpty })
            #expect(sample.keys.removed == [99])
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        @Test("a reader of QR codes finds the link on the screen, also in a dark window", arguments: [false, true])
        func scanned(isDark: Bool) async throws {
            let sample = try await EncryptionSample()
            StyleManager.use(isDark ? .dark : .light)
            defer { StyleManager.use(.light) }
            let window = try #require(sample.ownWindow())
            #expect(await Toolkit.eventually { window.view.code.code != nil && window.window.width > 0 })
            await Toolkit.settle()
            let path = NSTemporaryDirectory() + "code-\(UUID().uuidString).png"
            defer { try? FileManager.default.removeItem(atPath: path) }
            #expect(await Toolkit.eventually { window.window.render()?.save(to: path) ?? false })
            #expect(try await codes(in: path).first == window.view.model.codeLink)
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        /// The texts that GStreamer's bar code reader finds in a picture.
        private func codes(in path: String) async throws -> [String] {
            let (status, output) = try await OutsideProgram.run([
                "gst-launch-1.0", "-m", "filesrc", "location=\(path)", "!", "pngdec", "!", "videoconvert", "!", "zbar",
                "cache=false", "!", "fakesink",
            ])
            try #require(status == 0, "\(output)")
            return output.matches(of: /symbol=\(string\)"?(xmpp:[^",]+)"?[,;]/).map {
                String($0.output.1).replacing("\\", with: "")
            }
        }

        @Test("a link is pasted: that of another account is refused, that of the contact is confirmed first")
        func link() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            let window = try #require(sample.window())
            let view = window.view
            var said: [String] = []
            view.showToast = { said.append($0) }
            #expect(await Toolkit.eventually { view.rows.count == 5 })
            let digits = EncryptionSample.digits(1_618_033)
            view.paste("xmpp:paris@verona.example?omemo-sid-1=\(digits)")
            #expect(said == ["This is not a verification link of romeo@montague.example."])
            #expect(view.link.has(css: "error"))
            let question = try #require(view.paste("xmpp:romeo@montague.example?omemo-sid-1618033=\(digits)"))
            #expect(view.model.devices[2].trust == .undecided)
            await Toolkit.picture(question, "devices-link")
            question.answer("verify")
            #expect(await Toolkit.eventually { view.model.devices[2].trust == .verified })
            #expect(await Toolkit.eventually { said.last == "1 key is verified." })
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        @Test("a hundred devices are listed, and the window stays narrow")
        func many() async throws {
            let sample = try await EncryptionSample()
            sample.keys.list(
                (1...100).map { EncryptionSample.device($0, "Device with a rather long name \($0)", .trusted) },
                of: sample.talk.romeo)
            let window = try #require(sample.window())
            #expect(await Toolkit.eventually { window.view.rows.count == 100 })
            await Toolkit.settle()
            #expect(window.view.root.minimumWidth <= 360)
            window.window.close()
            await Toolkit.settle()
            await sample.talk.end()
        }

        @Test("a closed window leaves nothing behind")
        func leaks() async throws {
            let sample = try await EncryptionSample()
            sample.romeosDevices()
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let window = try #require(sample.window())
                #expect(await Toolkit.eventually { window.view.rows.count == 5 })
                window.window.close()
            }
            let isGone = await Toolkit.eventually { Object.liveCount <= before }
            #expect(isGone, "\(Object.liveCount) of \(before)")
            await sample.talk.end()
        }
    }
}
