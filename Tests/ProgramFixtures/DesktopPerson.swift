import Foundation
package import ServerFixtures

/// A user of `hongyan-desktop`, on a private display.
package struct DesktopPerson: Sendable {
    /// The longest iteration of the main loop in a run of the program, in milliseconds.
    package struct LongestIteration: Decodable, Sendable {
        package var processorMilliseconds: Double
        package var wallMilliseconds: Double
    }

    package let person: Person
    private let desktop: PrivateDesktop

    private var report: String { person.home.path + "/main-loop.json" }

    /// An account that is set up in the programs; the window is not open yet.
    package init(_ name: String, onAny server: any PrivateServer) async throws {
        try self.init(try await Person(name, onAny: server))
        try await person.run("login")
    }

    /// A person whose programs have the account already.
    package init(_ person: Person) throws {
        desktop = try PrivateDesktop(width: 1000, height: 700)
        self.person = person
    }

    package func start(_ arguments: [String] = []) throws -> Program {
        var environment = desktop.environment.filter { !$0.key.hasPrefix("XDG_") || $0.key == "XDG_RUNTIME_DIR" }
        environment["HOME"] = nil
        environment["HONGYAN_MAIN_LOOP_REPORT"] = report
        return try Program("hongyan-desktop", arguments, home: person.home, environment: environment)
    }

    /// The file that the program stores messages in.
    package var store: String { person.home.path + "/data/hongyan/chat.db" }

    /// Whether the store contains a text that the program has received.
    package func hasStored(_ text: String) -> Bool {
        [store, store + "-wal"].contains { path in
            (try? Data(contentsOf: URL(filePath: path)))?.range(of: Data(text.utf8)) != nil
        }
    }

    /// Quits the program like its menu.
    package func quit(_ program: Program) async throws -> LongestIteration? {
        let bus = desktop.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
        _ = try await OutsideProgram.run(
            ["env", "DBUS_SESSION_BUS_ADDRESS=\(bus)", "gapplication", "action", "im.hongyan.Hongyan", "quit"])
        let result = await program.result()
        guard result.status == 0 else {
            throw Program.Failure(
                description: "hongyan-desktop ended with \(result.status): \(result.errors.suffix(2000))")
        }
        return (try? Data(contentsOf: URL(filePath: report))).flatMap {
            try? JSONDecoder().decode(LongestIteration.self, from: $0)
        }
    }
}
