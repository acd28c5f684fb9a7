import Testing

@testable import ChatModel

@Suite("States of recording a voice message")
struct VoiceRecordingMachineTests {
    typealias State = VoiceRecordingMachine.State
    typealias Action = VoiceRecordingMachine.Action

    enum Event: CaseIterable, Sendable {
        case press, lock, release, slip, cancel, stop, send, opened, ended, finished, failed, offered
    }

    static let states: [State] = [
        .idle, .opening(isLocked: false, isReleased: false), .opening(isLocked: true, isReleased: false),
        .opening(isLocked: false, isReleased: true), .recording(isLocked: false), .recording(isLocked: true),
        .finishing(sends: true), .finishing(sends: false), .reviewing,
    ]

    static func apply(_ event: Event, to machine: inout VoiceRecordingMachine) -> Action {
        switch event {
        case .press: machine.pressed()
        case .lock: machine.lockedByPerson()
        case .release: machine.released(after: .seconds(2))
        case .slip: machine.released(after: .milliseconds(300))
        case .cancel: machine.cancelledByPerson()
        case .stop: machine.stopPressed()
        case .send: machine.sendPressed()
        case .opened: machine.opened()
        case .ended: machine.ended()
        case .finished: machine.finished()
        case .failed: machine.failed()
        case .offered: machine.offered()
        }
    }

    /// The shortest sequence of events into each state.
    static func machine(in state: State) -> VoiceRecordingMachine {
        var machine = VoiceRecordingMachine()
        let events: [Event] =
            switch state {
            case .idle: []
            case .opening(isLocked: true, _): [.press, .lock]
            case .opening(_, isReleased: true): [.press, .release]
            case .opening: [.press]
            case .recording(isLocked: true): [.press, .lock, .opened]
            case .recording: [.press, .opened]
            case .finishing(sends: true): [.press, .opened, .release]
            case .finishing: [.press, .opened, .stop]
            case .reviewing: [.offered]
            }
        for event in events { _ = apply(event, to: &machine) }
        return machine
    }

    @Test(
        "the sequences that users know",
        arguments: [
            ([.press, .opened, .release, .finished], [.open, .none, .finish, .send]),
            ([.press, .opened, .slip], [.open, .none, .discardSlip]),
            ([.press, .release, .opened], [.open, .none, .discardSlip]),
            (
                [.press, .opened, .lock, .release, .stop, .finished, .send],
                [.open, .none, .none, .none, .finish, .review, .send]
            ),
            ([.press, .opened, .lock, .send, .finished], [.open, .none, .none, .finish, .send]),
            ([.press, .opened, .cancel], [.open, .none, .discard]),
            ([.press, .opened, .lock, .ended, .finished, .cancel], [.open, .none, .none, .finish, .review, .discard]),
            ([.offered, .send], [.review, .send]),
        ] as [([Event], [Action])])
    func ways(events: [Event], actions: [Action]) {
        var machine = VoiceRecordingMachine()
        for (event, action) in zip(events, actions) {
            #expect(Self.apply(event, to: &machine) == action, "\(event)")
        }
        #expect(machine.state == .idle)
    }

    @Test("every event in every state: a recording is discarded only by the user")
    func everything() {
        for state in Self.states {
            for event in Event.allCases {
                var machine = Self.machine(in: state)
                #expect(machine.state == state)
                let action = Self.apply(event, to: &machine)
                if action == .discard { #expect(event == .cancel) }
                if action == .discardSlip { #expect(event == .slip || event == .opened) }
                if action == .send { #expect(event == .send || event == .finished) }
                if action == .open { #expect(state == .idle && event == .press) }
                if event == .failed { #expect(machine.state == .idle) }
            }
        }
    }
}
