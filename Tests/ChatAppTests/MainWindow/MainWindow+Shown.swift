import GTKBinding
import Testing

@testable import ChatApp

@MainActor
extension MainWindow {
    /// Windows of a program need one that has begun; one serves them all.
    private static let application: Application? = {
        let application = Application("im.hongyan.Tests", isUnique: false)
        return (try? application.register()) == nil ? nil : application
    }()

    /// The window over what a test has prepared, on the screen.
    static func shown(_ context: AppContext) throws -> MainWindow {
        let window = MainWindow(context, try #require(application))
        context.window = window
        window.present()
        return window
    }
}
