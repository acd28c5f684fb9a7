import GTKBinding
import Glibc

/// A program with its own main loop, for what cannot be tested inside of a test: there GLib's loop does not run on the
/// first thread.
///
/// It switches between the main actor and other threads many times while GLib's loop runs, and prints `hops N` and
/// `loop true`.
@main
struct GTKProbe {
    private static let hops = 1000

    static func main() {
        MainLoop.serveMainActor()
        let application = Application("im.hongyan.Probe", isUnique: false)
        application.onActivate { [weak application] in
            application?.hold()
            Task {
                var count = 0
                var isInLoop = true
                for _ in 0..<hops {
                    count = await next(count)
                    isInLoop = isInLoop && MainLoop.isCalling
                }
                print("hops \(count)")
                print("loop \(isInLoop)")
                fflush(nil)
                application?.quit()
            }
        }
        exit(application.run())
    }

    @concurrent
    private nonisolated static func next(_ count: Int) async -> Int { count + 1 }
}
