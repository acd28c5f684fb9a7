import ChatApp
import Foundation
import GTKBinding
import Glibc

/// The measuring program of `Scripts/benchmark desktop`: fills a profile, or opens the window with one and measures it.
@main
struct Program {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func run(_ body: @escaping @Sendable () async throws -> Void) -> Never {
            // GLib's loop is not needed here, so the main queue runs the main actor.
            Task {
                do {
                    try await body()
                    exit(0)
                } catch {
                    print("failed: \(error)")
                    exit(1)
                }
            }
            dispatchMain()
        }
        switch (arguments.first, arguments.count) {
        case ("fill", 4):
            let (folder, messages, contacts) = (arguments[1], Int(arguments[2]) ?? 0, Int(arguments[3]) ?? 0)
            run { try await DesktopProfile.fill(folder, messages: messages, contacts: contacts) }
        case ("online", 4):
            let (address, file, contacts) = (arguments[1], arguments[2], Int(arguments[3]) ?? 0)
            run { try await OnlineAccount.fill(address, passwordFile: file, contacts: contacts) }
        case ("measure", 3):
            setenv("HONGYAN_PROFILE", arguments[1], 1)
            MainLoop.serveMainActor()
            let program = DesktopProgram(isUnique: false)
            let measurement = DesktopMeasurement(program, switches: Int(arguments[2]) ?? 1000)
            Task { await measurement.run() }
            exit(program.run(["hongyan-desktop"]))
        default:
            print(
                """
                usage: desktop-benchmark fill FOLDER MESSAGES CONTACTS     makes a profile with so many messages in one conversation
                       desktop-benchmark online ADDRESS PASSWORD-FILE CONTACTS
                                                                          gives an account so many contacts and a room
                       desktop-benchmark measure FOLDER SWITCHES          opens the window over it and measures
                """)
            exit(2)
        }
    }
}
