internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Shows contacts the user as away who has done nothing for some minutes, neither here nor, where the desktop says it, in other
/// programs.
final class AwayWatch {
    private let idling: IdlePresence
    private let input: UserInput

    /// - Parameters:
    ///   - bus: the bus of the desktop; without it only input in the windows of the program counts.
    ///   - environment: another clock, for tests.
    init(_ home: ChatHome, bus: MessageBus?, environment: ModelEnvironment? = nil) {
        let environment = environment ?? home.environment
        var elsewhere: (@MainActor () async -> MessageTime?)?
        if let session = bus.map({ SessionIdleTime($0) }) {
            elsewhere = {
                guard let idle = await session.current() else { return nil }
                return environment.now().advanced(by: -Int64(idle / .milliseconds(1)))
            }
        }
        idling = IdlePresence(
            environment: environment, minutes: { [weak home] in home?.preferences.values.minutesUntilAway ?? 0 },
            elsewhere: elsewhere
        ) { [weak home] since in await home?.showIdle(since: since) }
        input = UserInput { [idling] in idling.inputHappened() }
        idling.inputHappened()
        observe(self) { [weak home] watch in
            _ = home?.preferences.values.minutesUntilAway
            watch.idling.limitChanged()
        }
    }

    /// Ends the watch; the presence stays as it is.
    func end() {
        idling.stop()
        input.end()
    }
}
