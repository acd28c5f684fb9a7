import Foundation
import Glibc

/// A device for the chaos: `ChaosClient FOLDER` types messages into conversations, and can be killed and started again at any time.
///
/// It is a program of its own because only a process can be killed as processes are. What it is comes from `settings.json` of the
/// folder, what it shall do from `orders.json`, which can change at any time.
@main
struct ChaosClient {
    static func main() async {
        guard CommandLine.arguments.count == 2 else { return print("ChaosClient FOLDER") }
        // A write beyond the limit shall fail, as on a disk that is full, and not end the process.
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
