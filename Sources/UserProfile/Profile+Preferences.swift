public import ChatModel
internal import Foundation

extension Profile {
    private var preferencesPath: String { folder + "/preferences.json" }

    /// The user's preferences, stored in `preferences.json`; each change is written at once.
    @MainActor
    public func preferences() -> Preferences {
        let data = PrivateFile.read(preferencesPath)
        let values = data.flatMap { try? JSONDecoder().decode(PreferenceValues.self, from: $0) } ?? PreferenceValues()
        let path = preferencesPath
        return Preferences(values) { values in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            // If writing fails, the change lasts until the program ends.
            if let data = try? encoder.encode(values) { _ = PrivateFile.write(data, to: path) }
        }
    }
}
