import Foundation

/// A client for the tests of faults: `FaultClient FOLDER` converses with another one, and can be killed and started again at any time.
///
/// It is a program of its own because only a process can be killed as processes are.
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
