public import ChatStore
public import Observation

/// The user's preferences for the whole program.
public struct PreferenceValues: Sendable, Hashable, Codable {
    public enum ColourScheme: String, Sendable, Codable, CaseIterable {
        /// Follows the desktop.
        case system
        case light, dark
    }

    public var showsNotifications = true
    /// Whether notifications show the text of messages, where others can see it.
    public var showsTextInNotifications = true
    /// Whether contacts may learn that a message was received and seen.
    public var tellsReceipts = true
    /// Whether contacts may learn that the user is typing.
    public var tellsTyping = true
    public var colourScheme = ColourScheme.system
    /// Whether misspelled words are underlined.
    public var checksSpelling = true
    /// Whether links that the user writes are described for the receiver, for which their pages are opened.
    public var describesLinks = false
    /// Whether the program keeps running after its window is closed.
    public var runsInBackground = true
    /// Whether the user was informed when the window was closed for the first time.
    public var hasToldOfBackground = false
    /// The user's availability and status text.
    public var availability = Availability.available
    public var statusText: String?
    /// After how many minutes without input contacts see the user as away (XEP-0319); 0 for never.
    public var minutesUntilAway = 10
    /// Whether a new message is announced by a sound.
    public var playsSound = true
    /// Whether Return sends a message; otherwise Ctrl+Return does, and Return begins a line.
    public var sendsWithReturn = true
    /// The size of texts; 1 is that of the desktop.
    public var zoom = 1.0
    public var window = WindowPlace()

    public init() {}

    /// Missing keys, and values of other versions, are replaced by defaults.
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
        checksSpelling = read(.checksSpelling, true)
        describesLinks = read(.describesLinks, false)
        runsInBackground = read(.runsInBackground, true)
        hasToldOfBackground = read(.hasToldOfBackground, false)
        availability = read(.availability, .available)
        statusText = read(.statusText, nil)
        minutesUntilAway = min(max(0, read(.minutesUntilAway, 10)), Self.idleMinutes.upperBound)
        playsSound = read(.playsSound, true)
        sendsWithReturn = read(.sendsWithReturn, true)
        zoom = read(.zoom, 1)
        if !Self.zooms.contains(zoom) { zoom = 1 }
        window = read(.window, WindowPlace())
    }

    /// What ``minutesUntilAway`` can be: a day at most, because later nobody wonders.
    public static let idleMinutes = 0...1440

    /// The sizes of texts that can be chosen.
    public static let zooms = [0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2]
}

/// The main window as it was last.
public struct WindowPlace: Sendable, Hashable, Codable {
    /// In pixels, while it is not maximized.
    public var width = 1000
    public var height = 720
    public var isMaximized = false
    /// The conversation that was open.
    public var conversation: ConversationKey?

    public init() {}
}

/// The observable preferences. Each change is saved at once, in order and off the main thread.
@MainActor
@Observable
public final class Preferences {
    public var values: PreferenceValues {
        didSet { if values != oldValue { saveChange() } }
    }

    @ObservationIgnored private let save: @Sendable (PreferenceValues) async -> Void
    @ObservationIgnored private var saving: Task<Void, Never>?

    /// - Parameter save: writes the values for the next start.
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
