import Foundation
import ServerFixtures

/// The story of two users at two windows, from their first accounts on. Each step starts where the previous one ended;
/// a single step runs the previous ones first.
actor Story {
    enum Step: Int, CaseIterable, Sendable {
        case accounts, beginning, friends, texts, answer, picture, drop, voice, correction, reaction, deletion,
            keyboard,
            outage, crash, room, list, farewell
    }

    private enum Progress {
        case reached(Step?)
        case failed(Step)
    }

    static let shared = Story()

    private var progress = Progress.reached(nil)
    private var stage: Stage?

    /// Runs the story up to a step. The error of an earlier step is reported there; here it is only mentioned.
    func reach(_ step: Step) async throws {
        for next in Step.allCases where next.rawValue <= step.rawValue {
            switch progress {
            case .failed(let earlier): throw NotSeen(description: "The step “\(earlier)” before this one failed.")
            case .reached(let last): if let last, last.rawValue >= next.rawValue { continue }
            }
            do {
                let stage = if let stage { stage } else { try await Stage() }
                self.stage = stage
                try await play(next, stage)
                try stage.checkComplaints()
                progress = .reached(next)
            } catch {
                progress = .failed(next)
                self.stage = nil
                throw error
            }
        }
    }

    private func play(_ step: Step, _ stage: Stage) async throws {
        switch step {
        case .accounts: try await accounts(stage)
        case .beginning: try await beginning(stage)
        case .friends: try await friends(stage)
        case .texts: try await texts(stage)
        case .answer: try await answer(stage)
        case .picture: try await picture(stage)
        case .drop: try await drop(stage)
        case .voice: try await voice(stage)
        case .correction: try await correction(stage)
        case .reaction: try await reaction(stage)
        case .deletion: try await deletion(stage)
        case .keyboard: try await keyboard(stage)
        case .outage: try await outage(stage)
        case .crash: try await crash(stage)
        case .room: try await room(stage)
        case .list: try await list(stage)
        case .farewell: try await farewell(stage)
        }
    }
}
