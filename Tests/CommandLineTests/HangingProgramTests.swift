import Glibc
import ProgramFixtures
import Testing

@Suite struct HangingProgramTests {
    @Test("a program that hangs is killed, and its errors contain its backtrace")
    func backtrace() async throws {
        let program = try Program("/bin/sleep", ["1000"], home: ProgramHome())
        let result = await program.result(within: 1)
        #expect(result.status == 128 + SIGKILL)
        #expect(result.errors.contains("did not end within 1 seconds"))
        // Its only thread; where it is, the system may hide.
        #expect(result.errors.contains("\(program.process) sleep"), "\(result.errors)")
    }
}
