public import Observation

/// What a person has chosen for the whole program.
public struct PreferenceValues: Sendable, Hashable, Codable {
    public enum ColourScheme: String, Sendable, Codable, CaseIterable {
        /// As the desktop has it.
        case system
        case light, dark
    }

    public var showsNotifications = true
    /// What was written is shown in notifications, where others can see it.
    public var showsTextInNotifications = true
    /// Contacts may learn that a message has arrived and that it was seen.
    public var tellsReceipts = true
    /// Contacts may learn that something is being written.
    public var tellsTyping = true
    public var colourScheme = ColourScheme.system
    /// The program goes on when its window is closed.
    public var runsInBackground = true
    /// How the person wants to be seen, and what it says about that.
    public var availability = Availability.available
    public var statusText: String?

    public init() {}

    /// What is missing, or was written by another version, is as if nothing had been chosen.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ usual: Value) -> Value {
            ((try? values.decodeIfPresent(Value.self, forKey: key)) ?? nil) ?? usual
        }
        showsNotifications = read(.showsNotifications, true)
        showsTextInNotifications = read(.showsTextInNotifications, true)
        tellsReceipts = read(.tellsReceipts, true)
        tellsTyping = read(.tellsTyping, true)
        colourScheme = read(.colourScheme, .system)
        runsInBackground = read(.runsInBackground, true)
        availability = read(.availability, .available)
        statusText = read(.statusText, nil)
    }
}

/// The preferences, observable; each change is saved at once, away from the main thread and one after the other.
@MainActor
@Observable
public final class Preferences {
    public var values: PreferenceValues {
        didSet { if values != oldValue { saveChange() } }
    }

    @ObservationIgnored private let save: @Sendable (PreferenceValues) async -> Void
    @ObservationIgnored private var saving: Task<Void, Never>?

    /// - Parameter save: writes the values to where they are read at the next start.
    public init(
        _ values: PreferenceValues = PreferenceValues(),
        save: @escaping @Sendable (PreferenceValues) async -> Void = { _ in }
    ) {
        self.values = values
        self.save = save
    }

    private func saveChange() {
        let (before, values, save) = (saving, values, save)
        saving = Task {
            await before?.value
            await save(values)
        }
    }

    /// Returns when every change so far is saved.
    public func flush() async { await saving?.value }
}
