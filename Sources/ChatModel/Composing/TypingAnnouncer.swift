internal import ChatStore

/// Announces in one conversation that the user is typing, and no longer is.
@MainActor
final class TypingAnnouncer {
    private let key: ConversationKey
    private let actions: any ConversationActions
    private let environment: ModelEnvironment
    private var notification = TypingNotification()
    private var sending: Task<Void, Never>?

    init(_ key: ConversationKey, _ actions: any ConversationActions, _ environment: ModelEnvironment) {
        self.key = key
        self.actions = actions
        self.environment = environment
    }

    /// The user has changed the text.
    func textChanged(isEmpty: Bool) {
        let isFirst = notification.deadline == nil
        send(notification.textChanged(isEmpty: isEmpty, now: now))
        guard isFirst, notification.deadline != nil else { return }
        watch()
    }

    /// The text was sent.
    func stop() { send(notification.stop()) }

    /// The text was closed; returns when that is announced.
    func close() async {
        stop()
        await sending?.value
    }

    private var now: Int64 { environment.now().millisecondsSince1970 }

    /// Sleeps until the deadline, which every keystroke moves.
    private func watch() {
        Task { [weak self, clock = environment.clock] in
            while !Task.isCancelled, let wait = self?.timeLeft {
                do { try await clock.sleep(for: .milliseconds(max(1, wait))) } catch { return }
                self?.timePassed()
            }
        }
    }

    private var timeLeft: Int64? { notification.deadline.map { $0 - now } }

    private func timePassed() { send(notification.timePassed(now: now)) }

    /// Sent in order, so that "paused" never arrives before "composing".
    private func send(_ isComposing: Bool?) {
        guard let isComposing else { return }
        let before = sending
        sending = Task { [actions, key] in
            await before?.value
            await actions.setComposing(isComposing, in: key)
        }
    }
}

/// Decides when to send typing notifications (XEP-0085 §4.3): "composing" at the first keystroke, "paused" after
/// ``timeout`` without one, or when the text is deleted or sent.
///
/// A machine without a clock: the owner passes the time, and calls ``timePassed(now:)`` at ``deadline``.
struct TypingNotification: Sendable, Equatable {
    /// In milliseconds: a user who has not typed for this long is not writing.
    static let timeout: Int64 = 30_000

    /// The time in milliseconds at which to call ``timePassed(now:)``.
    private(set) var deadline: Int64?

    private var isComposing: Bool { deadline != nil }

    /// The text has changed. Returns the state to send, if any.
    mutating func textChanged(isEmpty: Bool, now: Int64) -> Bool? {
        if isEmpty { return stop() }
        defer { deadline = now + Self.timeout }
        return isComposing ? nil : true
    }

    /// The deadline may have passed. Returns the state to send, if any.
    mutating func timePassed(now: Int64) -> Bool? {
        guard let deadline, deadline <= now else { return nil }
        return stop()
    }

    /// The text was sent or closed.
    mutating func stop() -> Bool? {
        guard isComposing else { return nil }
        deadline = nil
        return false
    }
}
