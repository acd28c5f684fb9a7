internal import ChatModel
internal import GTKBinding
internal import Observation

/// Applies the colour scheme and the size of texts of the preferences, and follows their changes.
final class Appearance {
    private let preferences: Preferences
    private var appliedZoom = 1.0

    init(_ preferences: Preferences) { self.preferences = preferences }

    func follow() {
        observe(self) { appearance in StyleManager.use(appearance.preferences.values.colourScheme.scheme) }
        observe(self) { appearance in appearance.applyZoom() }
    }

    private func applyZoom() {
        let zoom = preferences.values.zoom
        // A size that nobody has chosen is left to the desktop.
        guard zoom != appliedZoom else { return }
        appliedZoom = zoom
        ToolkitSettings.zoomText(zoom)
    }

    /// Makes all texts larger or smaller by some steps; 0 gives them the size of the desktop.
    func zoom(by steps: Int) {
        let zooms = PreferenceValues.zooms
        let index = zooms.firstIndex(of: preferences.values.zoom) ?? 2
        preferences.values.zoom = steps == 0 ? 1 : zooms[min(max(index + steps, 0), zooms.count - 1)]
    }
}

/// Whether the windows are dark, for colours that are not in the style sheet.
@Observable
final class Scheme {
    static let current = Scheme()

    private(set) var isDark = StyleManager.isDark

    private init() {
        StyleManager.onChange { [weak self] in self?.isDark = StyleManager.isDark }
    }
}
