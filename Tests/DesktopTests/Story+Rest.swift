import Foundation
import ServerFixtures

extension Story {
    /// Both have talked, recorded, played, chosen files and signed in; nothing of that leaves a clock that ticks.
    func rest(_ stage: Stage) async throws {
        for person in [stage.alice, stage.bob] {
            try await stage.until("nothing ticks in \(person.name)'s program") { person.program.tickingTimers == 0 }
        }
    }
}
