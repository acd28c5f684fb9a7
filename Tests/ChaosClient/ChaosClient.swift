import Foundation
import Glibc

/// A device of the chaos tests: `ChaosClient FOLDER` types messages into conversations, and can be killed and restarted
/// at any time.
///
/// It is a separate program because only a process can be killed like a process. Its identity is in `settings.json` of
/// the folder, its instructions are in `orders.json`, which can change at any time.
@main
struct ChaosClient {
    static func main() async {
        guard CommandLine.arguments.count == 2 else { return print("ChaosClient FOLDER") }
        // A write above the limit fails, as on a full disk, instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        do {
            try await Device(folder: CommandLine.arguments[1]).run()
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }
}
