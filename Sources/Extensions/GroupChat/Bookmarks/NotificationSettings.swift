public import ServiceDiscovery
public import XMLStreaming

/// When a conversation notifies, shared by all devices in its bookmark (XEP-0492 Chat notification settings).
///
/// ```
/// <notify xmlns='urn:xmpp:notification-settings:1'>
///    <never identity-category='client' identity-type='pc'/><on-mention/></notify>
/// ```
///
/// Read and write it as ``Bookmark/notifications``. Without settings direct chats and private rooms always notify, and
/// public rooms when a message mentions the user (§3).
public struct NotificationSettings: XMLPayload, Equatable {
    /// What notifies.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        case always
        /// Only messages that mention the user or answer them.
        case onMention = "on-mention"
        case never
    }

    /// A level for some kinds of program; the one without a category is for all others.
    public struct Setting: Sendable, Equatable {
        public var level: Level
        /// The category of programs, such as `client`.
        public var category: String?
        /// The type in the category, such as `phone`; only with a category.
        public var type: String?
        /// Finer settings of other programs, which every change preserves (§3).
        public var advanced: [XMLElement]

        public init(_ level: Level, category: String? = nil, type: String? = nil, advanced: [XMLElement] = []) {
            self.level = level
            self.category = category
            self.type = category == nil ? nil : type
            self.advanced = advanced
        }

        /// How exactly the setting describes a program; `nil` if it is not for it.
        fileprivate func precision(for identity: DiscoveryInformation.Identity) -> Int? {
            guard let category else { return 0 }
            guard category == identity.category else { return nil }
            guard let type else { return 1 }
            return type == identity.type ? 2 : nil
        }
    }

    public static let name = XMLName("notify", "urn:xmpp:notification-settings:1")
    /// The maximum number of settings that are read; there are fewer kinds of programs.
    static let limit = 64

    public var settings: [Setting]

    public init(_ settings: [Setting] = []) {
        self.settings = settings
    }

    /// The same level for all programs.
    public init(_ level: Level) {
        self.init([Setting(level)])
    }

    /// The level for a program: that of the most specific setting (§3).
    public func level(for identity: DiscoveryInformation.Identity) -> Level? {
        var best: (precision: Int, level: Level)?
        for setting in settings {
            guard let precision = setting.precision(for: identity), precision > best?.precision ?? -1 else { continue }
            best = (precision, setting.level)
        }
        return best?.level
    }

    /// Changes the level for all programs, or only for those with an identity. What others have stored beside the level
    /// is preserved, and programs for which there is nothing yet get the same level (§3).
    public mutating func set(_ level: Level, for identity: DiscoveryInformation.Identity? = nil) {
        if let identity {
            change(level, category: identity.category, type: identity.type)
            if !settings.contains(where: { $0.category == nil }) { settings.append(Setting(level)) }
        } else {
            change(level, category: nil, type: nil)
        }
    }

    private mutating func change(_ level: Level, category: String?, type: String?) {
        if let index = settings.firstIndex(where: { $0.category == category && $0.type == type }) {
            settings[index].level = level
        } else {
            settings.append(Setting(level, category: category, type: type))
        }
    }

    /// Elements of other levels are skipped.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        settings = element.children.lazy.prefix(Self.limit).compactMap { child in
            guard child.namespace == Self.name.namespace, let level = Level(rawValue: child.localName) else {
                return nil
            }
            let advanced = child.firstChild(Self.advancedName).map { Array($0.children) } ?? []
            return Setting(
                level, category: child["identity-category"], type: child["identity-type"], advanced: advanced)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for setting in settings {
            writer.start(XMLName(setting.level.rawValue, Self.name.namespace))
            writer.attribute("identity-category", setting.category)
            writer.attribute("identity-type", setting.type)
            if !setting.advanced.isEmpty {
                writer.start(Self.advancedName)
                for element in setting.advanced { writer.write(element) }
                writer.end()
            }
            writer.end()
        }
        writer.end()
    }

    private static let advancedName = XMLName("advanced", name.namespace)
}

extension Bookmark {
    /// When the room notifies; `nil` if no program has set it. An invalid setting reads as `nil`.
    public var notifications: NotificationSettings? {
        get {
            extensions.first { $0.isNamed(NotificationSettings.name) }.flatMap { try? NotificationSettings(from: $0) }
        }
        set {
            let index = extensions.firstIndex { $0.isNamed(NotificationSettings.name) }
            extensions.removeAll { $0.isNamed(NotificationSettings.name) }
            guard let newValue else { return }
            extensions.insert(XMLElement(newValue), at: min(index ?? extensions.count, extensions.count))
        }
    }
}
