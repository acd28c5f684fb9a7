import Foundation
import GTKBinding
import Testing
import WindowFixtures

@testable import ChatApp

extension WindowTests {
    @MainActor
    @Suite("The report of the longest turn")
    struct TurnReportTests {
        init() throws { try #require(Toolkit.isReady) }

        private struct Figures: Decodable {
            let processorMilliseconds: Double
            let wallMilliseconds: Double
            let iterations: Int
        }

        @Test("it is written where that is wanted, and there is none where it is not")
        func file() async throws {
            #expect(MainLoopReport(environment: [:]) == nil)
            #expect(MainLoopReport(environment: [MainLoopReport.variable: ""]) == nil)
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            let report = try #require(MainLoopReport(environment: [MainLoopReport.variable: file.path]))
            var isDone = false
            MainLoop.schedule { isDone = true }
            #expect(await Toolkit.turn { isDone })
            await Toolkit.settle()
            report.write()
            let figures = try JSONDecoder().decode(Figures.self, from: Data(contentsOf: file))
            #expect(figures.iterations > 0 && figures.processorMilliseconds > 0 && figures.wallMilliseconds > 0)
        }
    }
}
