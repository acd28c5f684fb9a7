import CGTK
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

/// The windows about devices and keys.
@MainActor
struct KeyScenes {
    let sample: EncryptionSample

    init(_ sample: EncryptionSample) { self.sample = sample }

    private func devices() async throws -> DevicesWindow {
        sample.romeosDevices()
        let devices = try #require(sample.window())
        _ = await Toolkit.eventually { devices.view.rows.count == 5 && devices.view.model.link != nil }
        return devices
    }

    var all: [Scene] {
        let window = Scene(title: "devices of a contact") { try await devices().window }
        return [
            window,
            Scene(title: "own devices") {
                let own = try #require(sample.ownWindow())
                _ = await Toolkit.eventually { !own.view.rows.isEmpty }
                return own.window
            },
            Scene(title: "comparison of keys") {
                let devices = try await devices()
                return try #require(devices.view.compare(devices.view.model.devices[1])).dialog
            },
        ]
    }
}

/// The windows about shared media.
@MainActor
struct MediaScenes {
    let sample: SharedMediaSample

    init(_ sample: SharedMediaSample) { self.sample = sample }

    private func page(_ name: String) -> Scene {
        Scene(title: "shared media: \(name)") {
            let shown = try await sample.show(name)
            if name == "pictures" {
                _ = await Toolkit.eventually { shown.pictures?.shownTiles.filter(\.isShown).count == 9 }
            }
            return shown.window
        }
    }

    var all: [Scene] { ["pictures", "voice", "files"].map(page) }
}
