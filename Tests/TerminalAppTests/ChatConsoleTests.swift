import ChatModel
import Testing

@testable import TerminalApp

@MainActor
@Suite struct ChatConsoleTests {
    @Test("T4: a job that ends because the user quits says nothing")
    func quitting() async {
        let console = ChatConsole(ModelEnvironment())
        var drawings = 0
        console.jobs.onEnd = { drawings += 1 }
        let (waiting, keeper) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        console.jobs.begin {
            for await _ in waiting {}
            console.showHarmless("The operation was cancelled.")
            end.finish()
        }
        console.jobs.cancel()
        for await _ in ends {}
        keeper.finish()
        #expect(console.transcript.entries.isEmpty)
        #expect(drawings == 0)
    }
}
