public import ChatModel
internal import Foundation

extension Profile {
    private var preferencesPath: String { folder + "/preferences.json" }

    /// What the person has chosen, kept in `preferences.json`; each change is written at once.
    public func preferences() async -> Preferences {
        let data = PrivateFile.read(preferencesPath)
        let values = data.flatMap { try? JSONDecoder().decode(PreferenceValues.self, from: $0) } ?? PreferenceValues()
        let path = preferencesPath
        return await Preferences(values) { values in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            // Where nothing can be written the choice holds until the program ends.
            if let data = try? encoder.encode(values) { _ = PrivateFile.write(data, to: path) }
        }
    }
}
