/// When the other side is told that this person is writing (XEP-0085 §4.3): at the first letter, and that it is not any more after
/// ``pause`` without a letter, when the text is gone, or when it is sent.
///
/// A machine without a clock: the owner says what time it is, and comes back at ``deadline``.
struct TypingNotice: Sendable, Equatable {
    /// After so long without a letter a person is not writing.
    static let pause: Int64 = 30_000

    /// Milliseconds at which ``timePassed(now:)`` has something to say.
    private(set) var deadline: Int64?

    private var isComposing: Bool { deadline != nil }

    /// The text is different; gives what to tell, if anything.
    mutating func textChanged(isEmpty: Bool, now: Int64) -> Bool? {
        if isEmpty { return stop() }
        defer { deadline = now + Self.pause }
        return isComposing ? nil : true
    }

    /// Time went by.
    mutating func timePassed(now: Int64) -> Bool? {
        guard let deadline, deadline <= now else { return nil }
        return stop()
    }

    /// The text was sent or put away.
    mutating func stop() -> Bool? {
        guard isComposing else { return nil }
        deadline = nil
        return false
    }
}
