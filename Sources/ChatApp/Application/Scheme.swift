internal import GTKBinding
internal import Observation

/// Whether the windows are dark, for colours that are not in the style sheet.
@Observable
final class Scheme {
    static let current = Scheme()

    private(set) var isDark = StyleManager.isDark

    private init() {
        StyleManager.onChange { [weak self] in self?.isDark = StyleManager.isDark }
    }
}
