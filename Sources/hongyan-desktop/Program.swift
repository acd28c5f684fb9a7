import ChatApp
import Executors
import GTKBinding
import Glibc

/// Synchronous on purpose: the first thread becomes that of GLib's loop, which serves the main actor.
@main
struct Program {
    static func main() {
        QuietExecutor.serveProgram()
        MainLoop.serveMainActor()
        // With a profile of its own it is another program for the person: it runs beside the usual one.
        let program = DesktopProgram(isUnique: getenv("HONGYAN_PROFILE") == nil)
        exit(program.run(CommandLine.arguments))
    }
}
