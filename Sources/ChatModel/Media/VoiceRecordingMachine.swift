/// How a voice message comes about: hold to record and let go to send, or slide to lock, or slide away to cancel; a locked
/// one is stopped, listened to, and sent or thrown away.
///
///     idle → opening → recording (held | locked) → finishing → reviewing → idle
///
/// Nothing here records or waits. What was spoken is lost only when a person says so: whatever else ends a recording
/// leads to review.
struct VoiceRecordingMachine: ~Copyable {
    /// Shorter than this was a slip of the finger.
    static let shortest: Duration = .milliseconds(700)

    enum State: Hashable, Sendable {
        /// To opening.
        case idle
        /// The microphone is being opened. To recording, or idle.
        case opening(isLocked: Bool, isReleased: Bool)
        /// To finishing, or idle.
        case recording(isLocked: Bool)
        /// The file is being completed. To reviewing, or idle.
        case finishing(sends: Bool)
        /// To idle.
        case reviewing
    }

    /// What the owner is to do.
    enum Action: Equatable, Sendable {
        case none
        case open
        /// Complete the file, then say ``VoiceRecordingMachine/finished()``.
        case finish
        /// Stop and remove the file.
        case discard
        /// The same, and say that the button is to be held.
        case discardSlip
        /// Offer it for listening.
        case review
        /// Send it.
        case send
    }

    private(set) var state = State.idle

    private mutating func become(_ next: State, _ action: Action = .none) -> Action {
        state = next
        return action
    }

    // MARK: The person

    mutating func pressed() -> Action {
        switch state {
        case .idle: return become(.opening(isLocked: false, isReleased: false), .open)
        case .opening, .recording, .finishing, .reviewing: return .none
        }
    }

    mutating func lockedByPerson() -> Action {
        switch state {
        case .opening(_, let isReleased): return become(.opening(isLocked: true, isReleased: isReleased))
        case .recording: return become(.recording(isLocked: true))
        case .idle, .finishing, .reviewing: return .none
        }
    }

    mutating func released(after duration: Duration) -> Action {
        switch state {
        case .opening(let isLocked, _): return become(.opening(isLocked: isLocked, isReleased: !isLocked))
        case .recording(isLocked: false):
            return duration < Self.shortest
                ? become(.idle, .discardSlip) : become(.finishing(sends: true), .finish)
        case .idle, .recording(isLocked: true), .finishing, .reviewing: return .none
        }
    }

    mutating func cancelledByPerson() -> Action {
        switch state {
        case .opening, .recording, .reviewing, .finishing: return become(.idle, .discard)
        case .idle: return .none
        }
    }

    mutating func stopPressed() -> Action {
        switch state {
        case .recording: return become(.finishing(sends: false), .finish)
        case .idle, .opening, .finishing, .reviewing: return .none
        }
    }

    mutating func sendPressed() -> Action {
        switch state {
        case .recording: return become(.finishing(sends: true), .finish)
        case .finishing: return become(.finishing(sends: true))
        case .reviewing: return become(.idle, .send)
        case .idle, .opening: return .none
        }
    }

    // MARK: The recorder

    mutating func opened() -> Action {
        switch state {
        case .opening(_, isReleased: true): return become(.idle, .discardSlip)
        case .opening(let isLocked, isReleased: false): return become(.recording(isLocked: isLocked))
        case .idle, .recording, .finishing, .reviewing: return .none
        }
    }

    /// The recorder has come to an end by itself: the time is up, the microphone is gone.
    mutating func ended() -> Action {
        switch state {
        case .recording: return become(.finishing(sends: false), .finish)
        case .idle, .opening, .finishing, .reviewing: return .none
        }
    }

    /// The file is complete.
    mutating func finished() -> Action {
        switch state {
        case .finishing(sends: true): return become(.idle, .send)
        case .finishing(sends: false): return become(.reviewing, .review)
        case .idle, .opening, .recording, .reviewing: return .none
        }
    }

    /// The recorder could not begin, or what it left cannot be read. A file that is there stays for later.
    mutating func failed() -> Action { become(.idle) }

    /// An interrupted recording was chosen for listening.
    mutating func offered() -> Action {
        switch state {
        case .idle: return become(.reviewing, .review)
        case .opening, .recording, .finishing, .reviewing: return .none
        }
    }
}
