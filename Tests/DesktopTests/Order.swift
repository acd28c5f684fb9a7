/// An element on the screen, as a screen reader finds it.
struct Look: Encodable, Sendable {
    var role: String
    var name: String?
    /// The beginning of the name.
    var begins: String?
    /// The name of the list that it is in.
    var within: String?
    /// Parts of the name.
    var has: [String]?
    var text: String?

    static func button(_ name: String) -> Look { Look(role: "push button", name: name) }
    static func label(_ text: String) -> Look { Look(role: "label", name: text) }
    static func field(_ name: String, saying text: String? = nil) -> Look {
        Look(role: "text", name: name, text: text)
    }
    static func menuItem(_ name: String) -> Look { Look(role: "menu item", name: name) }
    static func list(_ name: String) -> Look { Look(role: "list", name: name) }
    /// A message with all of these accessible texts: author, text, time and state.
    static func message(_ parts: String...) -> Look { Look(role: "filler", has: parts) }
    /// A line of the list of conversations, by its title and other parts of its name. The last message of another one may
    /// contain the title, too.
    static func conversation(_ title: String, _ parts: String...) -> Look {
        Look(role: "list item", begins: title + ", ", within: "Conversations", has: parts)
    }
    /// A line of the list of contacts.
    static func contact(_ parts: String...) -> Look { Look(role: "list item", within: "Contacts", has: parts) }
    /// An emoji under a message, and its senders.
    static func reaction(_ emoji: String, _ names: String...) -> Look {
        Look(role: "push button", has: ["\(emoji) from "] + names)
    }
    /// A text of which a part is known.
    static func words(_ parts: String...) -> Look { Look(role: "label", has: parts) }
    /// A window of GTK, not of the program.
    static func window(_ title: String) -> Look { Look(role: "filler", name: title) }
}

/// A command for `person.py`, which documents each of them.
struct Order: Encodable, Sendable {
    enum CodingKeys: String, CodingKey {
        case pid, what, seconds, button, at, rows, colour, place, text, keys, count
        case name = "do"
    }

    var name: String
    var pid: Int32 = 0
    var what: Look?
    var seconds = 15.0
    /// 1 is the primary mouse button, 3 the one for menus.
    var button: Int?
    /// A point of an element: 0, 0 is its upper left corner and 1, 1 the lower right one.
    var at: [Double]?
    var rows: [[String]]?
    /// Red, green, blue; 0 to 255.
    var colour: [Int]?
    var place: [Int]?
    var text: String?
    var keys: [String]?
    /// The expected number.
    var count: Int?
}

/// The response.
struct Sight: Decodable, Sendable {
    var name: String?
    var text: String?
}

/// Something that a user would see did not appear in time.
struct NotSeen: Error, CustomStringConvertible {
    let description: String
}

/// Waits for a condition that no window shows.
func until(_ what: String, _ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(75)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw NotSeen(description: "It never came that \(what).") }
        try await Task.sleep(for: .milliseconds(20))
    }
}
