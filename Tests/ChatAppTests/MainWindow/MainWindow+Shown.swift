import GTKBinding
import Testing

@testable import ChatApp

@MainActor
extension MainWindow {
    /// Windows need a running application; all tests share one.
    private static let application: Application? = {
        let application = Application("im.hongyan.Tests", isUnique: false)
        return (try? application.register()) == nil ? nil : application
    }()

    /// Shows the main window with what a test has prepared.
    static func shown(_ context: AppContext) throws -> MainWindow {
        let window = MainWindow(context, try #require(application))
        context.window = window
        window.present()
        return window
    }
}
