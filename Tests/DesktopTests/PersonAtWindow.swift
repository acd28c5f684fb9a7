import Foundation
import ServerFixtures

/// A user with a `hongyan-desktop`, who reads the screen and uses the mouse and the keyboard.
final class PersonAtWindow: Sendable {
    /// The timeout for something to appear: test machines are slow and shared.
    private static let timeout = Duration.seconds(75)

    let name: String
    let program: PrivateProgram
    private let hands: ControlledScript
    private let left: Int
    private let display: String

    /// - Parameters:
    ///   - left: the position of the window.
    ///   - hands: `person.py`, shared by all users.
    init(_ name: String, at left: Int, on desktop: PrivateDesktop, hands: ControlledScript) throws {
        self.name = name
        self.hands = hands
        self.left = left
        display = desktop.environment["DISPLAY"] ?? ""
        program = try PrivateProgram("hongyan-desktop") { folder in
            desktop.environment.merging([
                "HOME": folder, "HONGYAN_PROFILE": "\(folder)/profile", "XDG_CONFIG_HOME": "\(folder)/config",
                "XDG_DATA_HOME": "\(folder)/data", "XDG_CACHE_HOME": "\(folder)/cache",
            ]) { _, own in own }
        }
        // A moving widget would be clicked at its previous position.
        let settings = "\(program.folder)/config/gtk-4.0"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try "[Settings]\ngtk-enable-animations=0\ngtk-font-name=Cantarell 11\n".write(
            toFile: "\(settings)/settings.ini", atomically: true, encoding: .utf8)
    }

    /// Starts the program, and moves its window to its position once `sight` is visible.
    func start(
        _ arguments: [String] = [], environment: [String: String] = [:], until sight: Look
    ) async throws {
        try program.start(arguments, environment: environment)
        try await order(Order(name: "move", what: sight, place: [left, 0]))
    }

    /// Warnings of the desktop's libraries, which a user would not see but a programmer must.
    var complaints: [String] {
        program.output.split(separator: "\n").map(String.init).filter { line in
            ["-WARNING **", "-CRITICAL **", "-ERROR **"].contains { line.contains($0) }
        }
    }

    // MARK: Looking

    @discardableResult
    func sees(_ what: Look) async throws -> Sight { try await order(Order(name: "see", what: what)) }

    /// The middle of an element is in a part of the width of its window: 0 is the left edge and 1 the right one.
    func sees(_ what: Look, from left: Double, to right: Double) async throws {
        try await order(Order(name: "lie", what: what, at: [left, right]))
    }

    func doesNotSee(_ what: Look) async throws { try await order(Order(name: "miss", what: what)) }

    /// A list contains these rows from top to bottom, each with all of its texts.
    func reads(_ rows: [[String]], in list: String) async throws {
        try await order(Order(name: "read", what: .list(list), rows: rows))
    }

    /// The conversation has this message exactly once.
    func hasOnce(_ part: String) async throws {
        try await order(Order(name: "count", what: .list("Messages"), rows: [[part]], count: 1))
    }

    /// A point of an element has this colour.
    func seesColour(_ red: Int, _ green: Int, _ blue: Int, of what: Look, at place: (Double, Double)) async throws {
        try await order(Order(name: "paint", what: what, at: [place.0, place.1], colour: [red, green, blue]))
    }

    /// A screen reader queries a window that was closed a moment ago; the program must survive that.
    func asksForClosedWindow() async throws { try await order(Order(name: "astray")) }

    /// The window of an element has a size in pixels.
    func hasWindow(_ what: Look, of width: Int, _ height: Int) async throws {
        try await order(Order(name: "measure", what: what, place: [width, height]))
    }

    /// An element is in the window as a whole.
    func seesAll(of what: Look) async throws { try await order(Order(name: "fit", what: what)) }

    // MARK: Acting

    /// Gives the window of an element a size in pixels.
    func resizes(_ what: Look, to width: Int, _ height: Int) async throws {
        try await order(Order(name: "resize", what: what, place: [width, height]))
    }

    /// Goes on to an element with a key, as people do who have no mouse: until it has the focus.
    func goes(to what: Look, by key: String = "Tab", limit: Int = 40) async throws {
        try await sees(what)
        var places: [String] = []
        for _ in 0..<limit {
            var hold = Order(name: "hold", what: what)
            (hold.pid, hold.seconds) = (program.id ?? 0, 0.4)
            let (status, _) = try await hands.perform(String(decoding: try JSONEncoder().encode(hold), as: UTF8.self))
            if status == 200 { return }
            places.append(try await order(Order(name: "focus")).name ?? "")
            try await presses(key)
        }
        await photograph()
        throw NotSeen(description: "\(name) came to \(places) with \(key), and not to \(what)")
    }

    func clicks(_ what: Look, button: Int = 1, at place: (Double, Double) = (0.5, 0.5)) async throws {
        try await order(Order(name: "click", what: what, button: button, at: [place.0, place.1]))
    }

    /// Moves the pointer from the middle of an element with the button held.
    func swipes(_ what: Look, by distance: Int) async throws {
        try await order(Order(name: "swipe", what: what, place: [distance, 0]))
    }

    /// Drags files from the window of another program into an element.
    func drops(_ files: [String], into what: Look) async throws {
        try await order(Order(name: "drop", what: what, keys: files))
    }

    func presses(_ keys: String...) async throws { try await order(Order(name: "press", keys: keys)) }

    /// Presses Escape until something is closed, as people do: on a slow machine a key can come while it is still opened.
    func escapes(from what: Look) async throws {
        var miss = Order(name: "miss", what: what)
        miss.pid = program.id ?? 0
        let json = String(decoding: try JSONEncoder().encode(miss), as: UTF8.self)
        for _ in 0..<3 {
            try await presses("Escape")
            let deadline = ContinuousClock.now + .seconds(5)
            repeat {
                let (status, _) = try await hands.perform(json)
                if status == 200 { return }
            } while ContinuousClock.now < deadline
        }
        try await doesNotSee(what)
    }

    /// Clicks into a field and types, letter by letter, or pastes texts that the keyboard cannot type.
    ///
    /// - Parameters:
    ///   - replacing: the previous text is selected first, so that it is replaced.
    ///   - readable: `false` for a text that is shown as dots.
    func writes(
        _ text: String, into field: String, replacing: Bool = false, readable: Bool = true
    ) async throws {
        let look = Look.field(field)
        try await clicks(look, at: (0.3, 0.5))
        try await order(Order(name: "front", what: look))
        if replacing { try await presses("ctrl+a") }
        if text.utf8.count == text.count {
            try await order(Order(name: "type", text: text))
        } else {
            try await order(Order(name: "copy", text: text))
            try await presses("ctrl+v")
        }
        if readable { try await sees(.field(field, saying: text)) }
    }

    /// Types into the field that has the focus.
    func fills(_ field: String, with text: String, readable: Bool = true) async throws {
        try await order(Order(name: "front", what: .field(field)))
        try await typesOn(text)
        if readable { try await sees(.field(field, saying: text)) }
    }

    /// Activates the user's window. The server delays unimportant stanzas, such as ticks, for inactive windows
    /// (XEP-0352), and messages in inactive windows do not count as seen.
    func looks() async throws {
        try await clicks(.field("Message"))
        try await order(Order(name: "front", what: .field("Message")))
    }

    /// Writes a message and sends it.
    func says(_ text: String) async throws {
        try await writes(text, into: "Message")
        try await presses("Return")
        try await sees(.message("You, \(text)"))
    }

    /// Types wherever the keyboard focus is.
    func typesOn(_ text: String) async throws { try await order(Order(name: "type", text: text)) }

    /// Types at the keyboard focus, in a window of another program.
    func types(_ text: String, in window: Look, after keys: String...) async throws {
        try await order(Order(name: "front", what: window))
        try await order(Order(name: "press", keys: keys))
        try await order(Order(name: "type", text: text))
    }

    // MARK: Orders

    /// The contents of all windows, for the message of a failed test; visible elements have a size.
    private func screen() async -> String {
        guard program.isRunning,
            let json = try? JSONEncoder().encode(Order(name: "tree", pid: program.id ?? 0, seconds: 5)),
            let (_, words) = try? await hands.perform(String(decoding: json, as: UTF8.self)),
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(words.utf8))
        else { return "" }
        return answer.done?.text ?? ""
    }

    /// Saves a screenshot, if enabled.
    func photograph(_ picture: String = "people") async {
        guard let folder = ProcessInfo.processInfo.environment["HONGYAN_WINDOW_PICTURES"] else { return }
        try? await SpokenSample.run(["import", "-display", display, "-window", "root", "\(folder)/\(picture).png"])
    }

    private struct Answer: Decodable {
        var done: Sight?
        var missing: String?
        var broken: String?
    }

    @discardableResult
    private func order(_ order: Order) async throws -> Sight {
        var order = order
        order.pid = program.id ?? 0
        let json = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        let deadline = ContinuousClock.now + Self.timeout
        while true {
            let (status, words) = try await hands.perform(json)
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(words.utf8))
            if status == 200, let done = answer?.done { return done }
            guard status == 404, ContinuousClock.now < deadline, program.isRunning else {
                await photograph()
                throw NotSeen(
                    description: """
                        \(name) wanted to \(order.name) and could not: \(answer?.missing ?? answer?.broken ?? words)
                        \(program.isRunning ? "" : "The program ended with \(program.exitStatus ?? -1).")
                        \(program.output.suffix(8000))
                        \(await screen())
                        """)
            }
        }
    }
}
