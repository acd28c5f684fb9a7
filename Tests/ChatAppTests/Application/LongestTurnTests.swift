import ServerFixtures
import Testing

extension WindowTests {
    @Suite("Longest turn of the main loop")
    struct LongestTurnTests {
        /// Of the processor, in milliseconds. A window that takes longer to answer is felt to hang.
        private static let limit = 50.0

        @Test("no turn is long while a picture of twelve megapixels is pasted, sent and viewed")
        func picture() async throws {
            let display = try PrivateDisplay.shared.get()
            let probe = try PrivateProgram("ChatAppProbe", environment: display.environment)
            try probe.start()
            let end = ContinuousClock.now + .seconds(180)
            while probe.isRunning, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
            let steps = probe.output.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count == 3 }
            #expect(steps.map { $0[0] } == ["pasted", "sent", "viewed", "zoomed"], "\(probe.output)")
            for step in steps {
                let (turn, count) = (try #require(Double(step[1])), try #require(Int(step[2])))
                #expect(turn < Self.limit, "milliseconds of one turn while the picture is \(step[0])")
                #expect(count > 0, "turns while the picture is \(step[0])")
            }
        }
    }
}
