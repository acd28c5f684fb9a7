import Foundation
import ServerFixtures

/// Somebody with a `hongyan-desktop` of their own, who sees what is on the screen and uses the mouse and the keyboard.
final class PersonAtWindow: Sendable {
    /// For as long something may take to be seen: machines that run tests are slow and shared.
    private static let timeout = Duration.seconds(75)

    let name: String
    let program: PrivateProgram
    private let hands: ControlledScript
    private let left: Int
    private let display: String

    /// - Parameters:
    ///   - left: where the window stands.
    ///   - hands: `person.py`, shared by all.
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
        // What moves would be clicked at where it was.
        let settings = "\(program.folder)/config/gtk-4.0"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try "[Settings]\ngtk-enable-animations=0\ngtk-font-name=Cantarell 11\n".write(
            toFile: "\(settings)/settings.ini", atomically: true, encoding: .utf8)
    }

    /// Starts the program, and puts its window to its place once `sight` is there.
    func start(_ arguments: [String] = [], until sight: Look) async throws {
        try program.start(arguments)
        try await order(Order(name: "move", what: sight, place: [left, 0]))
    }

    /// What the libraries of the desktop have warned of, which a person would not see but a programmer must.
    var complaints: [String] {
        program.output.split(separator: "\n").map(String.init).filter { line in
            ["-WARNING **", "-CRITICAL **", "-ERROR **"].contains { line.contains($0) }
        }
    }

    // MARK: Looking

    @discardableResult
    func sees(_ what: Look) async throws -> Sight { try await order(Order(name: "see", what: what)) }

    func doesNotSee(_ what: Look) async throws { try await order(Order(name: "miss", what: what)) }

    /// A list says all this, from top to bottom, each row all of its parts.
    func reads(_ rows: [[String]], in list: String) async throws {
        try await order(Order(name: "read", what: .list(list), rows: rows))
    }

    /// The conversation has this message, and not a second time.
    func hasOnce(_ part: String) async throws {
        try await order(Order(name: "count", what: .list("Messages"), rows: [[part]], count: 1))
    }

    /// A place of a thing has this colour.
    func seesColour(_ red: Int, _ green: Int, _ blue: Int, of what: Look, at place: (Double, Double)) async throws {
        try await order(Order(name: "paint", what: what, at: [place.0, place.1], colour: [red, green, blue]))
    }

    /// A screen reader asks for a window that was closed a moment ago; the program must outlive that.
    func asksForClosedWindow() async throws { try await order(Order(name: "astray")) }

    // MARK: Acting

    func clicks(_ what: Look, button: Int = 1, at place: (Double, Double) = (0.5, 0.5)) async throws {
        try await order(Order(name: "click", what: what, button: button, at: [place.0, place.1]))
    }

    func presses(_ keys: String...) async throws { try await order(Order(name: "press", keys: keys)) }

    /// Clicks into a field and writes there, letter by letter, or where a keyboard has no such letters by pasting.
    ///
    /// - Parameters:
    ///   - replacing: what is there is marked first, so that it goes.
    ///   - readable: `false` for what is shown as dots.
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

    /// Turns to the own window. What is unimportant, such as ticks, the server keeps for somebody who looks elsewhere (XEP-0352),
    /// and what nobody looks at is not seen.
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

    /// Types where the keyboard is, in a window that is not the program's own.
    func types(_ text: String, in window: Look, after keys: String...) async throws {
        try await order(Order(name: "front", what: window))
        try await order(Order(name: "press", keys: keys))
        try await order(Order(name: "type", text: text))
    }

    // MARK: Orders

    /// All that is in the windows, for the message of a failed test; what can be seen has a size.
    private func screen() async -> String {
        guard program.isRunning,
            let json = try? JSONEncoder().encode(Order(name: "tree", pid: program.id ?? 0, seconds: 5)),
            let (_, words) = try? await hands.perform(String(decoding: json, as: UTF8.self)),
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(words.utf8))
        else { return "" }
        return answer.done?.text ?? ""
    }

    /// Leaves a picture of the screen where pictures are wanted.
    private func photograph() async {
        guard let folder = ProcessInfo.processInfo.environment["HONGYAN_WINDOW_PICTURES"] else { return }
        try? await SpokenSample.run(["import", "-display", display, "-window", "root", "\(folder)/people.png"])
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
