/// The states of recording a voice message: hold to record and release to send, or slide to lock, or slide away to
/// cancel; a locked recording is stopped, reviewed, and sent or discarded.
///
///     idle → opening → recording (held | locked) → finishing → reviewing → idle
///
/// Nothing here records or waits. A recording is lost only when the user discards it: any other end leads to review.
struct VoiceRecordingMachine: ~Copyable {
    /// Shorter recordings are treated as accidental.
    static let minimumDuration: Duration = .milliseconds(700)

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

    /// An action for the owner to perform.
    enum Action: Equatable, Sendable {
        case none
        case open
        /// Complete the file, then call ``VoiceRecordingMachine/finished()``.
        case finish
        /// Stop and delete the file.
        case discard
        /// The same, and explain that the button has to be held.
        case discardSlip
        /// Start the review.
        case review
        /// Send it.
        case send
    }

    private(set) var state = State.idle

    private mutating func become(_ next: State, _ action: Action = .none) -> Action {
        state = next
        return action
    }

    // MARK: User events

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
            return duration < Self.minimumDuration
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

    // MARK: Recorder events

    mutating func opened() -> Action {
        switch state {
        case .opening(_, isReleased: true): return become(.idle, .discardSlip)
        case .opening(let isLocked, isReleased: false): return become(.recording(isLocked: isLocked))
        case .idle, .recording, .finishing, .reviewing: return .none
        }
    }

    /// The recorder has ended by itself: the maximum duration was reached, or the microphone was disconnected.
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

    /// The recorder could not start, or its file cannot be read. An existing file is kept for later.
    mutating func failed() -> Action { become(.idle) }

    /// An interrupted recording was chosen for review.
    mutating func offered() -> Action {
        switch state {
        case .idle: return become(.reviewing, .review)
        case .opening, .recording, .finishing, .reviewing: return .none
        }
    }
}
