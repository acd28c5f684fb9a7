import CGTK
import ChatEngine
import ChatModel
import ChatStore
import Foundation
import Localization
import ServerFixtures
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

/// The windows about devices and keys.
@MainActor
struct KeyScenes {
    let sample: EncryptionSample

    private static let isChosen = "it is chosen already"

    init(_ sample: EncryptionSample) { self.sample = sample }

    /// What controls can change beside the windows.
    func state() async -> String {
        let keys = sample.keys
        let (own, theirs) = (
            try? await keys.devices(of: sample.talk.juliet), try? await keys.devices(of: sample.talk.romeo)
        )
        let isExcluding = try? await keys.excludesUnusedDevices
        return "\(own ?? []) \(theirs ?? []) \(keys.removed) \(keys.chosen) \(isExcluding ?? false)"
    }

    private func devices() async throws -> DevicesWindow {
        sample.romeosDevices()
        let devices = try #require(sample.window())
        _ = await Toolkit.eventually { devices.view.rows.count == 5 && devices.view.model.link != nil }
        return devices
    }

    private func own() async throws -> DevicesWindow {
        let phone = EncryptionSample.device(271_828, "Phone", .trusted)
        sample.keys.list([EncryptionSample.this, phone], of: sample.talk.juliet)
        let own = try #require(sample.ownWindow())
        _ = await Toolkit.eventually { own.view.rows.count == 1 && own.view.model.link != nil }
        return own
    }

    var all: [Scene] {
        [
            Scene(title: "devices of a contact") { try await devices().window },
            Scene(title: "own devices") { try await own().window },
            Scene(title: "comparison of keys") {
                let devices = try await devices()
                return try #require(devices.view.compare(devices.view.model.devices[1])).dialog
            },
        ]
    }

    /// Menus, questions, and what the other windows have about keys.
    var further: [Scene] {
        let (theirs, mine) = (
            Scene(title: "devices of a contact") { try await devices().window },
            Scene(title: "own devices") { try await own().window }
        )
        let context = sample.talk.context
        return [
            theirs.menu(
                "device menu", Scene.menu { WidgetTree.name(of: $0).hasPrefix(localized("Decide about %@", "Laptop")) }),
            mine.menu(
                "menu of an own device",
                Scene.menu { WidgetTree.name(of: $0).hasPrefix(localized("Decide about %@", "Phone")) }),
            Scene(title: "forget a key") {
                let devices = try await devices()
                return devices.view.forget(devices.view.model.devices[1])
            },
            Scene(title: "remove a device") {
                let own = try await own()
                return own.view.remove(try #require(own.view.rows.first?.device))
            },
            Scene(title: "encryption of a conversation") {
                let (window, view) = await sample.talk.open()
                window.retain(view)
                _ = await Toolkit.eventually { view.composer?.encryption?.model.forecast != nil }
                return window
            }.menu(
                "encryption menu", exceptions: ["As the account does": Self.isChosen],
                Scene.menu { WidgetTree.name(of: $0).hasPrefix(localized("Encrypted")) }),
            Scene(title: "encryption on the page of a contact") {
                let id = ContactRow.ID(account: sample.talk.account, address: sample.talk.romeo)
                return try #require(ContactWindow.show(id, context, over: nil)).window
            }.part(Scene.group(with: "Devices and Keys")),
        ]
    }
}

/// The windows about shared media.
@MainActor
final class MediaScenes {
    let sample: SharedMediaSample
    /// How often a message was asked for, and what was sent.
    private var shown = 0
    private var sent: [String] = []
    private weak var window: SharedMediaWindow?

    init(_ sample: SharedMediaSample) { self.sample = sample }

    /// What controls can change beside the windows.
    var state: String {
        let playback = sample.talk.context.playback
        let clipboard = gdk_display_get_default().flatMap { gdk_clipboard_get_content(gdk_display_get_clipboard($0)) }
        return
            "\(shown) \(sent) \(playback.isPlaying) \(String(describing: playback.current?.message)) \(clipboard.debugDescription)"
    }

    private func page(_ name: String, exceptions: [String: String] = [:]) -> Scene {
        Scene(title: "shared media: \(name)", exceptions: exceptions) { [self] in
            await sample.talk.context.playback.stop()
            let shown = try await sample.show(name) { [weak self] in self?.shown += 1 }
            window = shown
            let isShown = await Toolkit.eventually {
                switch name {
                case "pictures": shown.pictures?.shownTiles.filter(\.isShown).count == 9
                case "voice": shown.voice?.shownRows.count == 3
                default: shown.files?.shownRows.count == 3
                }
            }
            #expect(isShown)
            return shown.window
        }
    }

    var all: [Scene] {
        [page("pictures"), page("voice"), page("files")]
    }

    /// The viewer and the preview before sending.
    var further: [Scene] {
        [
            page("files").menu("menu of a file", exceptions: ["Save As…": Scenes.choosesFile]) { [self] _ in
                window?.files?.showMenu(of: 0)
                return nil
            },
            page("pictures").menu("menu of a picture", exceptions: ["Save As…": Scenes.choosesFile]) { [self] _ in
                window?.pictures?.showMenu(of: 0)
                return nil
            },
            Scene(title: "picture viewer", exceptions: ["Save Picture": Scenes.choosesFile]) { [self] in
                await sample.talk.context.prepareDownloads(of: sample.talk.account)
                let actions = SharedMediaActions(sample.talk.context.sharedMedia(of: sample.talk.key))
                actions.onLeave = { [weak self] in self?.shown += 1 }
                let model = actions.model([.picture])
                await model.open()
                let viewer = try #require(actions.open(model.items.elements[1], among: model))
                viewer.window.retain(actions)
                _ = await Toolkit.eventually { viewer.picture.size != nil }
                return viewer.window
            },
            Scene(title: "files before they are sent", exceptions: ["High": "it is chosen already"]) { [self] in
                let view = OutgoingWindow(over: nil)
                view.onSend = { [weak self] in self?.sent.append("\($0.items.map(\.name)) \($0.quality) \($1)") }
                view.onClosed = { [weak self] in self?.sent.append("\($0 ?? "-")") }
                view.shownWindow.retain(view)
                view.present()
                for name in ["garden.bmp", "orchard.bmp"] {
                    await view.selection.add(WritingSample.picture(600, 400), name: name)
                }
                _ = await Toolkit.eventually { view.selection.items.count == 2 && !view.selection.isPreparing }
                return view.shownWindow
            },
        ]
    }
}

/// The form of a provider, of a real server: there is none without one.
@MainActor
struct RegistrationScenes {
    let server: RunningServer
    let home: ChatHome

    var form: Scene {
        Scene(title: "form of a provider") {
            let view = RegistrationView(home.register())
            let window = Window("Hongyan", width: 460, height: 680, view.root)
            window.retain(view)
            window.present()
            view.providers.buttons.last?.isActive = true
            view.provider.text = server.domain
            try #require(await WindowCrawler.click("Continue", in: window))
            try #require(await Toolkit.eventually { view.userName.isMapped })
            return window
        }
    }
}
