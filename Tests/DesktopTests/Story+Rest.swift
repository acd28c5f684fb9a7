import Foundation
import ServerFixtures

extension Story {
    /// Both have talked, recorded, played, chosen files and signed in; nothing of that leaves a clock that ticks.
    func rest(_ stage: Stage) async throws {
        for person in [stage.alice, stage.bob] {
            // One that ticks is not set in the moment between two ticks.
            var looks = 0
            try await stage.until("nothing ticks in \(person.name)'s program") {
                looks = person.program.tickingTimers == 0 ? looks + 1 : 0
                return looks == 20
            }
        }
    }
}
