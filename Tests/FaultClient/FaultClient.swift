import Foundation

/// A client for the fault tests: `FaultClient FOLDER` exchanges messages with another one, and can be killed and
/// restarted at any time.
///
/// It is a separate program because only a process can be killed like a process.
@main
struct FaultClient {
    static func main() async {
        guard CommandLine.arguments.count == 2 else { return print("FaultClient FOLDER") }
        do {
            try await Conversation(folder: CommandLine.arguments[1]).run()
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }
}
